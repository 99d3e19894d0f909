// The pages of the API reference, from the doc comments of all exported names.

import { readFileSync } from "node:fs";
import { type ExportedName, exportedNames, headerOf, nameIn } from "./exported-names.ts";
import { publicMembers, signatureOf } from "./signature.ts";
import { docBefore, sourceFile } from "./source-file.ts";

/** The folder of the pages. */
export const FOLDER = "docs/api";

const MARK = "<!-- Written by `npm run reference` from the doc comments in src. Change those instead. -->";
const MAX_COLUMNS = 120;

/** The exports of one subpath of the package, or of a namespace in it. */
export interface ApiModule {
  /** What a program imports from, such as `gflownet/gfn`. */
  readonly specifier: string;
  /** For the exports of a namespace: its name, such as `data` in `gflownet/forecast`. */
  readonly namespace: string | null;
  /** The file of its page. */
  readonly page: string;
  readonly about: string;
  readonly names: readonly ExportedName[];
}

/** All modules of the package, in the order of `package.json`; namespaces follow the module that exports them. */
export function apiModules(): ApiModule[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  return Object.entries<string | { readonly default: string }>(exports).flatMap(([subpath, target]) => {
    const file = typeof target === "string" ? target : target.default;
    if (!file.endsWith(".js")) return [];
    const source = file.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    const specifier = `gflownet${subpath.slice(1)}`;
    const page = `${subpath === "." ? "gflownet" : subpath.slice(2).replaceAll("/", "-")}.md`;
    const names = exportedNames(source);
    const module = { specifier, namespace: null, page, about: aboutOf(source), names };
    const namespaces = names.flatMap(({ name, namespace }): ApiModule[] => {
      if (namespace === undefined) return [];
      const inner = { page: page.replace(".md", `-${name}.md`), about: aboutOf(namespace) };
      return [{ specifier, namespace: name, ...inner, names: exportedNames(namespace) }];
    });
    return [module, ...namespaces];
  });
}

function aboutOf(source: string): string {
  return headerOf(sourceFile(source)).text.replaceAll("\n", " ");
}

/** Exported names that have no doc sentence, as `gflownet/gfn: name`. */
export function undocumented(modules: readonly ApiModule[]): string[] {
  return modules.flatMap(({ specifier, names }) =>
    names
      .filter(({ doc }) => !/\w[\s\S]*\.$/.test(doc?.text ?? ""))
      .map(({ name }) => `${specifier}: ${name}`),
  );
}

/** Members of the interfaces and classes of a module that have no doc sentence, as `Name.member`. */
export function membersWithoutSentence({ names }: ApiModule): string[] {
  return names.flatMap(({ name, file, nodes }) =>
    nodes.flatMap((node) =>
      publicMembers(node)
        // An error class overrides the member `name` of all errors.
        .filter((member) => !member.override && member.kind !== "constructor" && !docBefore(file, member))
        .map(({ key }) => `${name}.${key.name}`),
    ),
  );
}

/** The text of every page by its path. */
export function referencePages(modules: readonly ApiModule[]): Map<string, string> {
  const anchors = anchorsOf(modules);
  const pages = modules.map((module): [string, string] => [
    `${FOLDER}/${module.page}`,
    modulePage(module, anchors),
  ]);
  return new Map([[`${FOLDER}/README.md`, startPage(modules)], ...pages]);
}

/** Where a declaration is described. */
interface Anchor {
  readonly specifier: string;
  readonly page: string;
  readonly anchor: string;
}

/** By `keyOf`. */
type Anchors = ReadonlyMap<string, Anchor>;

function anchorsOf(modules: readonly ApiModule[]): Anchors {
  const anchors = new Map<string, Anchor>();
  for (const { specifier, page, names } of modules) {
    const used = new Map<string, number>();
    for (const heading of headingsOf(names)) {
      const text = typeof heading === "string" ? heading : heading.name;
      const slug = text.toLowerCase().replaceAll(" ", "-");
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      if (typeof heading === "string" || anchors.has(keyOf(heading))) continue;
      anchors.set(keyOf(heading), { specifier, page, anchor: count === 0 ? slug : `${slug}-${count}` });
    }
  }
  return anchors;
}

/** Identifies a declaration, however many modules export it. */
function keyOf({ name, file, nodes, external }: ExportedName): string {
  return external ? `${external} ${name}` : `${file.path} ${nodes[0]?.start ?? name}`;
}

/** Names and headings of groups in the order of the page: by group, then values before types, then by name. */
function headingsOf(names: readonly ExportedName[]): (ExportedName | string)[] {
  const described = names.filter(({ namespace }) => namespace === undefined);
  const groups = [...new Set(described.map(({ group }) => group))];
  return groups.flatMap((group) => [
    ...(group === null ? [] : [group]),
    ...described
      .filter((each) => each.group === group)
      .sort(
        (a, b) =>
          Number(isType(a)) - Number(isType(b)) || a.name.localeCompare(b.name, "en", { numeric: true }),
      ),
  ]);
}

function isType({ nodes }: ExportedName): boolean {
  return nodes.some(({ type }) => type === "TSInterfaceDeclaration" || type === "TSTypeAliasDeclaration");
}

function modulePage(module: ApiModule, anchors: Anchors): string {
  const { specifier, namespace, page, about, names } = module;
  const title = namespace === null ? `\`${specifier}\`` : `\`${namespace}\` of \`${specifier}\``;
  const usage =
    namespace === null ? "" : `\n\n\`\`\`ts\nimport { ${namespace} } from "${specifier}";\n\`\`\``;
  const inner = names.flatMap(({ name, namespace: source, doc }) =>
    source === undefined
      ? []
      : [
          `| [\`${name}\`](${page.replace(".md", `-${name}.md`)}) | ${doc?.text.replaceAll("\n", " ") ?? ""} |`,
        ],
  );
  return [
    MARK,
    `# ${title}`,
    wrap(about) + usage,
    ...(inner.length > 0 ? [["| namespace | content |", "|---|---|", ...inner].join("\n")] : []),
    ...headingsOf(names).map((each) =>
      typeof each === "string" ? `## ${each}` : entry(each, page, anchors),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The description of one name. A name that an earlier page describes has a link to it instead. */
function entry(exported: ExportedName, page: string, anchors: Anchors): string {
  const described = anchors.get(keyOf(exported));
  const heading = `### \`${exported.name}\``;
  if (described && described.page !== page) {
    return `${heading}\n\nSee [\`${described.specifier}\`](${described.page}#${described.anchor}).`;
  }
  const { doc } = exported;
  const links = linksOf(exported, page, anchors);
  return [
    heading,
    ...(doc ? [doc.text] : []),
    `\`\`\`ts\n${signatureOf(exported)}\n\`\`\``,
    ...(links.length > 0 ? [wrap(`Types: ${links.join(", ")}.`)] : []),
    ...(doc?.examples.map((code) => `Example:\n\n\`\`\`ts\n${code}\`\`\``) ?? []),
  ].join("\n\n");
}

/** Links to the exported types that a signature names. */
function linksOf(exported: ExportedName, page: string, anchors: Anchors): string[] {
  if (exported.external) return [];
  const code = signatureOf(exported).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"]*"/g, "");
  const names = [...new Set(code.match(/\b[A-Z]\w*[a-z]\w*\b/g))].filter((name) => name !== exported.name);
  return names.flatMap((name) => {
    const found = nameIn(exported.file, name);
    const described = found && anchors.get(keyOf(found));
    if (!described) return [];
    return [`[\`${name}\`](${described.page === page ? "" : described.page}#${described.anchor})`];
  });
}

function startPage(modules: readonly ApiModule[]): string {
  const rows = modules
    .filter(({ namespace }) => namespace === null)
    .map(({ specifier, page, about, names }) => {
      const inner = modules.filter((each) => each.specifier === specifier && each.namespace !== null);
      const count = inner.reduce((sum, each) => sum + each.names.length, names.length - inner.length);
      return `| [\`${specifier}\`](${page}) | ${count} | ${about} |`;
    });
  return [
    MARK,
    "# API reference",
    wrap(
      "Most programs need only the names of the root, `gflownet`. The subpaths have everything else. Every name is described by a sentence, its declaration and, where it helps, a program that runs as printed.",
    ),
    ["| import from | names | content |", "|---|---|---|", ...rows].join("\n"),
    wrap(
      "A function that creates something is named after it: `sequenceEnvironment`, `hypergridTask`, `sampler`, `modelTrainer`. A function that does something is named by a verb: `fit`, `train`, `checkEnvironment`, `encodeCheckpoint`. Options are one object with named members.",
    ),
    wrap(
      "[Coming from other libraries](../coming-from-other-libraries.md) compares the concepts with those of torchgfn and gfnx. The [glossary](../glossary.md) defines the terms.",
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Breaks a paragraph into lines. */
function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + 1 + word.length > MAX_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}
