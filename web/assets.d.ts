// Files that are not scripts, which Vite bundles.

declare module "*.css" {}

// A worker inside the script.
declare module "*?worker&inline" {
  const Inline: new () => Worker;
  export default Inline;
}

// The address of a file that the build copies.
declare module "*?url" {
  const url: string;
  export default url;
}
