// Who may ask the dashboard's server: a browser on this machine that has opened the address with the token. Pages of other
// sites, other programs' pages on loopback and names that lead to loopback by DNS are refused.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

export interface Access {
  /** Checks every request, and adds headers to every answer. */
  readonly guard: MiddlewareHandler;
  /** The token of the first address, valid as long as the server runs. */
  readonly token: string;
  /** A token that is valid once, for an address that other users of the machine may see in the list of processes. */
  tokenForOnce(): string;
}

/** Names of this machine by which a browser may reach the server. */
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
/** A token for once is valid this long. */
const ONCE_MS = 60_000;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Figures have style attributes. Styles run nothing and load nothing.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

const NO_TOKEN = "open the address with the token that `gflownet dashboard` printed";

/** `port` says the port when the server listens. */
export function access(port: () => number, token: string = randomToken()): Access {
  const session = randomToken();
  const once = new Map<string, number>();

  function isToken(given: string): boolean {
    const expires = once.get(given);
    once.delete(given);
    return isSame(given, token) || (expires !== undefined && Date.now() < expires);
  }

  const guard: MiddlewareHandler = async (c, next) => {
    const refusal = refusalOf(c, port());
    if (refusal) return refuse(c, 403, refusal);
    const given = c.req.query("token");
    if (c.req.method === "GET" && c.req.path === "/" && given !== undefined) {
      if (!isToken(given)) return refuse(c, 401, `the token is not that of this dashboard; ${NO_TOKEN}`);
      // Cookies of one host are shared by all of its ports, so each port has a name of its own.
      setCookie(c, cookieName(port()), session, { httpOnly: true, sameSite: "Strict", path: "/" });
      addHeaders(c);
      return c.redirect("/", 303);
    }
    if (!isSame(getCookie(c, cookieName(port())) ?? "", session)) {
      return refuse(c, 401, `this page has no access; ${NO_TOKEN}`);
    }
    await next();
    addHeaders(c);
  };
  return {
    guard,
    token,
    tokenForOnce() {
      const fresh = randomToken();
      once.set(fresh, Date.now() + ONCE_MS);
      return fresh;
    },
  };
}

/** Why a request is refused, whoever asks; null if it is not. */
function refusalOf(c: Context, port: number): string | null {
  const host = c.req.header("host") ?? "";
  const hosts = LOOPBACK.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
  if (!hosts.includes(host.toLowerCase())) {
    return `the dashboard answers at ${hosts[0]} only; use that address`;
  }
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`) {
    return "the dashboard answers its own pages only; another page has asked";
  }
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return "the dashboard answers its own pages only; open its address yourself instead of following a link";
  }
  return null;
}

function refuse(c: Context, status: 401 | 403, error: string): Response {
  const isPage = c.req.method === "GET" && !c.req.path.startsWith("/api/");
  addHeaders(c);
  return isPage ? c.text(`gflownet: ${error}.\n`, status) : c.json({ error }, status);
}

/** Adds the headers that an answer does not have already. */
function addHeaders(c: Context): void {
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!c.res.headers.has(name)) c.header(name, value);
  }
}

function cookieName(port: number): string {
  return `gflownet-dashboard-${port}`;
}

function randomToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Compares in a time that does not tell where two texts differ. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
