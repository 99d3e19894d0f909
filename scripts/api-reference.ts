// Writes the API reference, docs/api/*.md, from the doc comments of all exported names.
//
//   npm run reference             writes the pages
//   npm run reference -- --check  only reports pages that are out of date

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiModules, FOLDER, referencePages, undocumented } from "./api/reference.ts";

/** Pages whose file is missing, has another text, or belongs to no module. */
export function outdatedPages(pages: ReadonlyMap<string, string>, folder = FOLDER): string[] {
  const files = readdirSync(folder).map((name) => `${folder}/${name}`);
  const changed = [...pages].filter(
    ([path, text]) => !files.includes(path) || readFileSync(path, "utf8") !== text,
  );
  return [...changed.map(([path]) => path), ...files.filter((path) => !pages.has(path))];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = apiModules();
  const pages = referencePages(modules);
  mkdirSync(FOLDER, { recursive: true });
  const outdated = outdatedPages(pages);
  if (process.argv.includes("--check")) {
    for (const path of outdated) console.error(`${path} is out of date; run npm run reference`);
    process.exitCode = outdated.length > 0 ? 1 : 0;
  } else {
    for (const path of outdated) {
      const text = pages.get(path);
      if (text === undefined) rmSync(path);
      else writeFileSync(path, text);
    }
    console.log(`${pages.size} pages, ${outdated.length} changed`);
  }
  for (const name of undocumented(modules)) console.error(`${name} has no doc sentence`);
}
