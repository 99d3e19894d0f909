// Builds after `npm ci` in a clone, so that `npx gflownet` works there. Without the development packages there is no
// compiler and nothing to build.

import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync("node_modules/typescript")) execSync("npm run build", { stdio: "inherit" });
