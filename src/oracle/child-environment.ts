// The environment variables of an oracle's processes: a list of harmless ones, and none that may hold a secret.

/** Variables that programs need to find their files, libraries, language and processors. */
const ALLOWED =
  /^(PATH|PATHEXT|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMP|TEMP|TMPDIR|TERM|VIRTUAL_ENV|JAVA_HOME|LD_LIBRARY_PATH|DYLD_(FALLBACK_)?LIBRARY_PATH|(PYTHON|PYENV|CONDA|MAMBA|JULIA|PERL|RUBY|NODE|OMP|OPENBLAS|MKL|NUMEXPR|NUMBA|CUDA|NVIDIA|ROCM|HIP|XDG)\w*|R|R_\w+|SYSTEMROOT|SYSTEMDRIVE|COMSPEC|WINDIR|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|USERPROFILE)$/i;
/** Names of variables that may hold a secret, also those that the list above allows. */
const SECRET = /TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE/i;
/** A URL with a user and a password, such as the address of a database. */
const URL_WITH_PASSWORD = /:\/\/[^\s/@]*:[^\s/@]*@/;
/** Variables that make Node load code or listen on a port; the parent's are not meant for the oracle. */
const NODE_OPTIONS = /^NODE_(OPTIONS|CHANNEL)/i;

/**
 * The variables of `parent` that a child process may see, and `added` ones, which the user chose. Python is told not to
 * buffer its output, because an answer in a buffer never arrives.
 */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed = Object.entries(parent).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      ALLOWED.test(entry[0]) &&
      !SECRET.test(entry[0]) &&
      !URL_WITH_PASSWORD.test(entry[1]) &&
      !NODE_OPTIONS.test(entry[0]),
  );
  return { ...Object.fromEntries(passed), PYTHONUNBUFFERED: "1", ...added };
}
