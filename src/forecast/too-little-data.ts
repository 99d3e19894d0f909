// The error of a forecaster that cannot be fitted to so few rows, although other forecasters can.

import { UserError } from "../issues.ts";

/** There are too few rows to fit a forecaster. A backtest of several forecasters goes on without it. */
export class TooLittleData extends UserError {}
