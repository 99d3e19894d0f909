// Style sheets, which Vite bundles.

declare module "*.css" {}
