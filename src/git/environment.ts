/**
 * The environment of every git process of ralphctl.
 * Invariant: an allow-list. Filters, merge drivers and hooks run with it, so it holds no secret of the worker. Replace
 * refs never apply, so git shows what the commits hold. Must not start git.
 */

const ALLOWED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_DIRS', 'XDG_CONFIG_HOME', 'XDG_DATA_DIRS', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  'XDG_STATE_HOME',
  // Signing, and filters that fetch file contents (git-lfs).
  ...['GNUPGHOME', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE'],
  ...['NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'NIX_PATH', 'NIX_SSL_CERT_FILE'],
  // The tools that commit hooks need.
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'PYENV_ROOT', 'VOLTA_HOME', 'NVM_DIR', 'FNM_DIR'],
  ...['MISE_DATA_DIR', 'ASDF_DIR', 'ASDF_DATA_DIR', 'BUN_INSTALL', 'PNPM_HOME', 'DOTNET_ROOT', 'PRE_COMMIT_HOME'],
  // Windows starts no program without these.
  ...['SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'TEMP', 'TMP', 'USERNAME'],
  // Identifies the job process of a git (process/left-git.ts).
  'RALPHCTL_LAUNCHER',
]);

const OURS = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_NO_REPLACE_OBJECTS: '1',
};

/** The part of `env` that git gets. */
export function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && ALLOWED.has(name.toUpperCase())) kept[name] = value;
  return { ...kept, ...OURS };
}
