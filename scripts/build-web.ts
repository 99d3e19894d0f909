// Builds the web app: the dashboard's page with its files, and the report's page as one file. npm run build calls it.
//
//   dist/web/dashboard/   dashboard.html and its assets, which the dashboard's server sends
//   dist/web/playground/  index.html and its assets with the engine: a folder for `gflownet playground` and for any web host
//   dist/web/report.html  script and style inside; the command writes the data of a report into it

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type InlineConfig, type Plugin } from "vite";

const WEB = fileURLToPath(new URL("../web", import.meta.url));

type PageName = "dashboard" | "playground" | "playground-embedded" | "report";

/** Licence and third-party notices of ONNX Runtime, whose file is in the playground's folder. */
const ENGINE_LICENCES = fileURLToPath(new URL("release/onnxruntime-1.30.0", import.meta.url));
/** ONNX Runtime for WebAssembly, which the playground loads. */
const ENGINE_FILE = createRequire(import.meta.url).resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm");

function configOf(page: PageName, outDir: string): InlineConfig {
  return {
    root: WEB,
    base: "./",
    configFile: false,
    logLevel: "error",
    // Charts are drawn into a document of their own in Node; in a browser there is one.
    resolve: { alias: { linkedom: join(WEB, "browser-document.ts") } },
    define: { __ENGINE_BYTES__: String(statSync(ENGINE_FILE).size) },
    plugins: [WITHOUT_NODE],
    worker: { format: "es", plugins: () => [WITHOUT_NODE] },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      cssCodeSplit: page === "dashboard" || page === "playground",
      rollupOptions: { input: join(WEB, `${page}.html`) },
    },
  };
}

/** Builds all pages into `dist/web`. */
export async function buildWeb(dist: string): Promise<void> {
  const web = resolve(dist, "web");
  await build(configOf("dashboard", join(web, "dashboard")));
  await buildPlayground(join(web, "playground"));
  const parts = join(web, "report-parts");
  await build(configOf("report", parts));
  writeFileSync(join(web, "report.html"), inOneFile(parts, "report"));
  rmSync(parts, { recursive: true });
}

/** A folder that a web host can serve as it is. */
async function buildPlayground(folder: string): Promise<void> {
  await build(configOf("playground", folder));
  renameSync(join(folder, "playground.html"), join(folder, "index.html"));
  cpSync(ENGINE_LICENCES, join(folder, "onnxruntime"), { recursive: true });
  await build(serviceWorkerConfig(folder));
  writeFileSync(join(folder, "widget.js"), await widget(join(folder, "widget-parts")));
}

/** The module of notebooks, with the page and the engine inside. */
async function widget(parts: string): Promise<string> {
  const config = configOf("playground-embedded", parts);
  const packed = gzipSync(readFileSync(ENGINE_FILE), { level: 9 }).toString("base64");
  await build({
    ...config,
    define: { ...config.define, __PACKED_ENGINE__: JSON.stringify(packed) },
    worker: {
      format: "es",
      plugins: () => [WITHOUT_NODE, WITHOUT_ENGINE_FILE],
      rollupOptions: { output: { codeSplitting: false } },
    },
    build: {
      ...config.build,
      rollupOptions: { ...config.build?.rollupOptions, output: { codeSplitting: false } },
    },
  });
  const page = inOneFile(parts, "playground-embedded");
  rmSync(parts, { recursive: true });
  return readFileSync(join(WEB, "playground/widget.js"), "utf8").replace("__PAGE__", () =>
    JSON.stringify(page),
  );
}

/** Modules that are imported on demand in Node only are empty in pages, as for users of the package (`browser` in package.json). */
const WITHOUT_NODE: Plugin = {
  name: "without-node",
  enforce: "pre",
  resolveId: (source) => (/\/(native|onnx-runtime|named-file)\.ts$/.test(source) ? "\0without-node" : null),
  load: (id) => (id === "\0without-node" ? "export {};" : null),
};

/** The widget gives ONNX Runtime its file, so that the copy to which its script refers is not needed. */
const WITHOUT_ENGINE_FILE: Plugin = {
  name: "without-engine-file",
  enforce: "pre",
  transform(code, id) {
    if (!id.includes("ort.wasm.bundle")) return null;
    return code.replaceAll(
      /new URL\("ort-wasm-simd-threaded\.wasm",\s*import\.meta\.url\)/g,
      'new URL("data:,")',
    );
  },
};

/** The service worker, as one file with the names of all others. */
function serviceWorkerConfig(folder: string): InlineConfig {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    // Nobody needs licences without a network.
    .filter((name) => !name.startsWith("onnxruntime/") && statSync(join(folder, name)).isFile())
    .sort();
  const version = createHash("sha256");
  for (const file of files) version.update(`${file}\n`).update(readFileSync(join(folder, file)));
  return {
    ...{ root: WEB, configFile: false, logLevel: "error" },
    define: {
      __FILES__: JSON.stringify(files),
      __VERSION__: JSON.stringify(version.digest("hex").slice(0, 16)),
    },
    build: {
      ...{ outDir: folder, emptyOutDir: false, target: "es2022" },
      rollupOptions: {
        input: join(WEB, "playground/service-worker.ts"),
        output: { entryFileNames: "service-worker.js", format: "iife" },
      },
    },
  };
}

/** The page of a folder with its script and its style inside. */
function inOneFile(folder: string, page: "report" | "playground-embedded"): string {
  const html = readFileSync(join(folder, `${page}.html`), "utf8");
  const assets = readdirSync(join(folder, "assets"));
  const read = (ending: string) => {
    const files = assets.filter((name) => name.endsWith(ending));
    if (files.length !== 1) throw new Error(`${page} needs one ${ending} file, got ${files.join(", ")}`);
    return readFileSync(join(folder, "assets", files[0]), "utf8");
  };
  const script = read(".js").replaceAll("</script", "<\\/script");
  const style = read(".css");
  // The script stands at the end of the body, because a module inside a page is not deferred by every viewer.
  return html
    .replace(/<script type="module"[^>]*><\/script>/, "")
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
}
