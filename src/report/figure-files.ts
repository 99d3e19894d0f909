// Figures as PNG and PDF. Both need optional packages: a library that draws, and a font that has the symbols of the figures.

import { createRequire } from "node:module";
import { drawSvg, type Font, type Line, type Paint, type Surface, svgSize } from "./draw-svg.ts";
import type { FigureFormat } from "./figure-format-names.ts";

/** Converts the SVG text of a figure to the bytes of a file. */
export type FigureWriter = (svg: string) => Promise<Uint8Array>;

/** A package that is not installed, with what to do. */
export class MissingPackage extends Error {
  override readonly name = "MissingPackage";
}

/** Loads a module by name; tests replace it. */
export type LoadModule = (name: string) => Promise<unknown>;

const FONT_PACKAGE = "dejavu-fonts-ttf";
const FONTS = { regular: "DejaVuSans.ttf", bold: "DejaVuSans-Bold.ttf" } as const;
/** Pixels of a PNG per pixel of the figure. */
const SCALE = 2;
/** Points of a PDF page per pixel of the figure. */
const POINTS = 0.75;

/** What writes figures in a format. Throws a MissingPackage if a package is not installed. */
export async function figureWriter(
  format: FigureFormat,
  load: LoadModule = (name) => import(name),
): Promise<FigureWriter> {
  if (format === "svg") return async (svg) => Buffer.from(`${svg}\n`);
  return format === "png" ? pngWriter(load) : pdfWriter(load);
}

/** The part of `@napi-rs/canvas` that is used. */
interface CanvasModule {
  createCanvas(
    width: number,
    height: number,
  ): { getContext(kind: "2d"): CanvasContext; encode(format: "png"): Promise<Uint8Array> };
  readonly GlobalFonts: { has(name: string): boolean; registerFromPath(path: string, name: string): unknown };
  readonly Path2D: new (path: string) => Path2D;
}
type CanvasContext = CanvasRenderingContext2D;

async function pngWriter(load: LoadModule): Promise<FigureWriter> {
  const canvas = await optional<CanvasModule>("@napi-rs/canvas", "PNG files", load);
  const files = fontFiles("PNG files");
  const names = { regular: "gflownet figures", bold: "gflownet figures bold" } as const;
  for (const weight of ["regular", "bold"] as const) {
    if (!canvas.GlobalFonts.has(names[weight])) {
      canvas.GlobalFonts.registerFromPath(files[weight], names[weight]);
    }
  }
  return async (svg) => {
    const { width, height } = svgSize(svg);
    const bitmap = canvas.createCanvas(Math.ceil(width * SCALE), Math.ceil(height * SCALE));
    const context = bitmap.getContext("2d");
    context.scale(SCALE, SCALE);
    drawSvg(svg, canvasSurface(context, canvas.Path2D, names));
    return bitmap.encode("png");
  };
}

function canvasSurface(
  context: CanvasContext,
  Path: CanvasModule["Path2D"],
  names: Readonly<Record<"regular" | "bold", string>>,
): Surface {
  const useFont = ({ size, bold }: Font) => {
    context.font = `${size}px "${bold ? names.bold : names.regular}"`;
  };
  const painted = ({ colour, opacity }: Paint, draw: () => void) => {
    context.globalAlpha = opacity;
    context.fillStyle = colour;
    context.strokeStyle = colour;
    draw();
    context.globalAlpha = 1;
  };
  const useLine = ({ width, dash, cap, join }: Line) => {
    context.lineWidth = width;
    context.setLineDash([...dash]);
    context.lineCap = cap;
    context.lineJoin = join;
  };
  return {
    transformed(matrix, draw) {
      context.save();
      context.transform(...matrix);
      draw();
      context.restore();
    },
    fill: (path, paint) => painted(paint, () => context.fill(new Path(path))),
    stroke: (path, paint, line) =>
      painted(paint, () => {
        useLine(line);
        context.stroke(new Path(path));
      }),
    text: (text, x, y, font, paint, outline) =>
      painted(paint, () => {
        useFont(font);
        if (outline === undefined) context.fillText(text, x, y);
        else {
          useLine({ width: outline, dash: [], cap: "butt", join: "round" });
          context.strokeText(text, x, y);
        }
      }),
    textWidth(text, font) {
      useFont(font);
      return context.measureText(text).width;
    },
  };
}

/** The part of `pdfkit` that is used. */
interface PdfDocument {
  on(event: "data", listener: (bytes: Uint8Array) => void): void;
  on(event: "end", listener: () => void): void;
  end(): void;
  save(): void;
  restore(): void;
  transform(...matrix: readonly number[]): void;
  font(path: string): PdfDocument;
  fontSize(size: number): PdfDocument;
  widthOfString(text: string): number;
  path(data: string): PdfDocument;
  fillColor(colour: string, opacity: number): PdfDocument;
  strokeColor(colour: string, opacity: number): PdfDocument;
  lineWidth(width: number): PdfDocument;
  lineCap(cap: string): PdfDocument;
  lineJoin(join: string): PdfDocument;
  dash(lengths: readonly number[]): PdfDocument;
  undash(): PdfDocument;
  fill(): PdfDocument;
  stroke(): PdfDocument;
  text(text: string, x: number, y: number, options: object): PdfDocument;
}
type PdfModule = { readonly default: new (options: object) => PdfDocument };

async function pdfWriter(load: LoadModule): Promise<FigureWriter> {
  const { default: Document } = await optional<PdfModule>("pdfkit", "PDF files", load);
  const files = fontFiles("PDF files");
  return (svg) =>
    new Promise((resolve) => {
      const { width, height } = svgSize(svg);
      const document = new Document({
        size: [width * POINTS, height * POINTS],
        margin: 0,
        font: files.regular,
        // The same figure gives the same bytes.
        info: { Producer: "gflownet", Creator: "gflownet", CreationDate: new Date(0) },
      });
      const chunks: Uint8Array[] = [];
      document.on("data", (bytes) => chunks.push(bytes));
      document.on("end", () => resolve(Buffer.concat(chunks)));
      document.transform(POINTS, 0, 0, POINTS, 0, 0);
      drawSvg(svg, pdfSurface(document, files));
      document.end();
    });
}

function pdfSurface(document: PdfDocument, files: FontFiles): Surface {
  const useFont = ({ size, bold }: Font) => document.font(bold ? files.bold : files.regular).fontSize(size);
  const useLine = ({ width, dash, cap, join }: Line) => {
    document.lineWidth(width).lineCap(cap).lineJoin(join);
    if (dash.length > 0) document.dash(dash);
    else document.undash();
  };
  return {
    transformed(matrix, draw) {
      document.save();
      document.transform(...matrix);
      draw();
      document.restore();
    },
    fill: (path, { colour, opacity }) => void document.path(path).fillColor(colour, opacity).fill(),
    stroke(path, { colour, opacity }, line) {
      useLine(line);
      document.path(path).strokeColor(colour, opacity).stroke();
    },
    text(text, x, y, font, { colour, opacity }, outline) {
      useFont(font);
      const isOutline = outline !== undefined;
      if (isOutline) {
        useLine({ width: outline, dash: [], cap: "butt", join: "round" });
        document.strokeColor(colour, opacity);
      } else document.fillColor(colour, opacity);
      const options = { lineBreak: false, baseline: "alphabetic", fill: !isOutline, stroke: isOutline };
      document.text(text, x, y, options);
    },
    textWidth: (text, font) => useFont(font).widthOfString(text),
  };
}

type FontFiles = Readonly<Record<"regular" | "bold", string>>;

/** Where the font is on disk. */
function fontFiles(purpose: string): FontFiles {
  const { resolve } = createRequire(import.meta.url);
  try {
    const file = (name: string) => resolve(`${FONT_PACKAGE}/ttf/${name}`);
    return { regular: file(FONTS.regular), bold: file(FONTS.bold) };
  } catch (error) {
    throw missing(FONT_PACKAGE, purpose, error);
  }
}

async function optional<T>(name: string, purpose: string, load: LoadModule): Promise<T> {
  try {
    return (await load(name)) as T;
  } catch (error) {
    throw missing(name, purpose, error);
  }
}

function missing(name: string, purpose: string, cause: unknown): MissingPackage {
  return new MissingPackage(
    `${purpose} need the package ${name}, which cannot be loaded; install it with npm install ${name}`,
    {
      cause,
    },
  );
}
