// The names that a source file exports, with the declaration of each. Re-exports are followed to their source.

import { dirname, join } from "node:path";
import {
  type DocComment,
  docBefore,
  groupAt,
  type SourceFile,
  type SyntaxNode,
  sourceFile,
} from "./source-file.ts";

export interface ExportedName {
  readonly name: string;
  /** The file and the nodes that declare the name; several for an overloaded function. Empty for a namespace. */
  readonly file: SourceFile;
  readonly nodes: readonly SyntaxNode[];
  readonly doc: DocComment | null;
  /** Heading of the group that the name belongs to in the file that exports it. */
  readonly group: string | null;
  /** Path of the source file whose exports the name contains, as in `export * as name`. */
  readonly namespace?: string;
  /** The package that the name comes from, if it is another one. */
  readonly external?: string;
}

const known = new Map<string, ExportedName[]>();

/** All names that a file exports, in the order of the file. Throws if the declaration of a name is not found. */
export function exportedNames(path: string): ExportedName[] {
  const names = known.get(path) ?? findNames(path);
  known.set(path, names);
  return names;
}

function findNames(path: string): ExportedName[] {
  const file = sourceFile(path);
  const names = new Map<string, ExportedName>();
  for (const node of file.body) {
    for (const exported of namesOf(file, node)) {
      const { name, nodes } = exported;
      const earlier = names.get(name);
      names.set(name, earlier ? { ...earlier, nodes: [...earlier.nodes, ...nodes] } : exported);
    }
  }
  return [...names.values()];
}

function namesOf(file: SourceFile, node: SyntaxNode): ExportedName[] {
  const group = groupAt(file, node);
  if (node.type === "ExportAllDeclaration") {
    const source = join(dirname(file.path), node.source.value);
    if (!node.exported) return exportedNames(source).map((name) => ({ ...name, group: group ?? name.group }));
    const about = docBefore(file, node) ?? headerOf(sourceFile(source));
    return [{ name: node.exported.name, file, nodes: [], doc: about, group, namespace: source }];
  }
  if (node.type !== "ExportNamedDeclaration") return [];
  if (node.declaration) {
    const doc = docBefore(file, node);
    return declarationsOf(node).map((each) => ({ name: each.id.name, file, nodes: [each], doc, group }));
  }
  return node.specifiers.map((specifier: SyntaxNode): ExportedName => {
    const [local, name]: string[] = [specifier.local.name, specifier.exported.name];
    if (!node.source) {
      const found = nameIn(file, local);
      if (!found) throw new Error(`${file.path} exports ${local}, but does not declare it`);
      return { ...found, name, group };
    }
    const source: string = node.source.value;
    if (!source.startsWith(".")) {
      return { name, file, nodes: [specifier], doc: docBefore(file, specifier), group, external: source };
    }
    return { ...importedName(file, source, local), name, group };
  });
}

function importedName(file: SourceFile, source: string, name: string): ExportedName {
  const found = exportedNames(join(dirname(file.path), source)).find((each) => each.name === name);
  if (!found) throw new Error(`${file.path} exports ${name}, which ${source} does not declare`);
  return found;
}

/** The declaration that a name stands for in a file, which declares or imports it; null if it is not in the sources. */
export function nameIn(file: SourceFile, name: string): ExportedName | null {
  for (const node of file.body) {
    if (node.type === "ImportDeclaration") {
      const imported = node.specifiers.find((each: SyntaxNode) => each.local.name === name);
      if (imported?.imported && node.source.value.startsWith(".")) {
        return importedName(file, node.source.value, imported.imported.name);
      }
    }
    const found = declarationsOf(node).find((each) => each.id?.name === name);
    if (found) return { name, file, nodes: [found], doc: docBefore(file, node), group: null };
  }
  return null;
}

/** The declarations in a statement, exported or not. */
function declarationsOf(node: SyntaxNode): readonly SyntaxNode[] {
  const declaration: SyntaxNode = node.declaration ?? node;
  return declaration.type === "VariableDeclaration" ? declaration.declarations : [declaration];
}

/** The comment at the start of a file, as the description of the namespace that the file is. */
export function headerOf(file: SourceFile): DocComment {
  const lines: string[] = [];
  let end = 0;
  for (const comment of file.comments) {
    if (comment.type !== "Line" || file.text.slice(end, comment.start).trim() !== "") break;
    if (/\n\s*\n/.test(file.text.slice(end, comment.start)) && lines.length > 0) break;
    lines.push(comment.value.trim());
    end = comment.end;
  }
  const text = lines.join("\n").split("\n\n")[0];
  return { source: text, text, examples: [] };
}
