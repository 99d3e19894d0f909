// Builds the package after `npm ci` in a clone, so that `npx gflownet` works there. If development packages are not
// installed, there is no compiler, and nothing is built.

import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync("node_modules/typescript")) execSync("npm run build", { stdio: "inherit" });
