export declare function scoreOf(string: string): number;
