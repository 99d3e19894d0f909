// Files that are not scripts, which Vite bundles.

declare module "*.css" {}

// The address of a file that the build copies.
declare module "*?url" {
  const url: string;
  export default url;
}
