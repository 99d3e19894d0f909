// The signature of an exported name: its declaration without function bodies and long values.

import type { ExportedName } from "./exported-names.ts";
import { docBefore, type SourceFile, type SyntaxNode, textOf } from "./source-file.ts";

/** A constant with a longer value is shown without it. */
const MAX_VALUE_LINES = 16;

/** TypeScript code that declares a name, with the doc comments of its members. */
export function signatureOf({ name, file, nodes, external }: ExportedName): string {
  if (external) return `export { ${name} } from "${external}";`;
  const overloads = nodes.filter(({ type }) => type === "TSDeclareFunction");
  return (overloads.length > 0 ? overloads : nodes).map((node) => declarationOf(file, node)).join("\n");
}

function declarationOf(file: SourceFile, node: SyntaxNode): string {
  switch (node.type) {
    case "FunctionDeclaration":
      return `${withoutBody(file, node)};`;
    case "ClassDeclaration":
      return classOf(file, node);
    case "VariableDeclarator":
      return variableOf(file, node);
    default:
      return textOf(file, node);
  }
}

function withoutBody(file: SourceFile, node: SyntaxNode): string {
  const { body, params = [] }: SyntaxNode = node.value ?? node;
  const head = { start: node.start, end: body ? body.start : node.end };
  let text = textOf(file, head);
  for (const param of params) {
    const pattern: SyntaxNode = param.type === "AssignmentPattern" ? param.left : param;
    if (pattern.type !== "ObjectPattern" || !pattern.typeAnnotation) continue;
    // The names of destructured members are details of the body; the type has the members.
    const optional = param.type === "AssignmentPattern" ? "?" : "";
    const type = textOf(file, pattern.typeAnnotation); // ": SequenceOptions"
    text = text.replace(textOf(file, param), `${parameterName(type)}${optional}${type}`);
  }
  return text
    .replace(/\s*;?\s*$/, "")
    .replace(/^async /, "")
    .replace(/\(\s*(\w+\??: \w+),?\s*\)/, "($1)");
}

/** A name for a destructured parameter: that of its type, or `options`. */
function parameterName(type: string): string {
  const name = /^: ([A-Z]\w*)$/.exec(type)?.[1];
  if (name === undefined || /(Options|Settings|Input)$/.test(name)) return "options";
  return name[0].toLowerCase() + name.slice(1);
}

/** The members of an interface, and the public ones of a class. Other declarations have none. */
export function publicMembers(node: SyntaxNode): SyntaxNode[] {
  if (node.type !== "TSInterfaceDeclaration" && node.type !== "ClassDeclaration") return [];
  return (node.body.body as SyntaxNode[]).filter(
    ({ accessibility, key }) => accessibility !== "private" && key?.type !== "PrivateIdentifier",
  );
}

/** A class with its public members. */
function classOf(file: SourceFile, node: SyntaxNode): string {
  const members = publicMembers(node).map((member) => {
    const value = member.type === "PropertyDefinition" && member.typeAnnotation ? member.value : null;
    const text = value
      ? textOf(file, { start: member.start, end: value.start }).replace(/\s*=\s*$/, "")
      : withoutBody(file, member);
    const doc = docBefore(file, member);
    return `${doc ? `${doc.source}\n` : ""}${text};`.replaceAll(/^(?=.)/gm, "  ");
  });
  const head = textOf(file, { start: node.start, end: node.body.start });
  return `${head}{\n${members.join("\n")}\n}`;
}

function variableOf(file: SourceFile, node: SyntaxNode): string {
  if (node.id.typeAnnotation) return `const ${textOf(file, node.id)};`;
  if (node.init?.type === "ArrowFunctionExpression") {
    return `const ${textOf(file, { start: node.start, end: node.init.body.start }).replace(/\s*=>\s*$/, "")} => …;`;
  }
  const value = textOf(file, node);
  return value.split("\n").length > MAX_VALUE_LINES ? `const ${node.id.name} = …;` : `const ${value};`;
}
