/**
 * Places of systems and of home folders that a strict sandbox shows, or hides.
 * Invariant: what is shown holds programs, and no login, key or project of a person. Pure.
 */
import { basename, dirname } from 'node:path';
import { isWithin } from './mounts.js';

/** Programs and settings of the system. */
export const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
  '/sys',
];
export const SYSTEM_LATER = ['/run/current-system', '/run/opengl-driver', '/var/lib/dpkg', '/var/lib/ca-certificates'];
export const SECRETS_OF_SYSTEM = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/sudoers',
  '/etc/sudoers.d',
  ...['/etc/shadow-', '/etc/gshadow-', '/etc/security/opasswd', '/etc/krb5.keytab', '/etc/ipsec.secrets'],
  ...['/etc/letsencrypt', '/etc/kubernetes', '/etc/rancher', '/etc/wireguard', '/etc/openvpn', '/etc/wpa_supplicant'],
  '/etc/NetworkManager/system-connections',
];
/** Below home: tools that builds need. None of them holds a login. */
export const TOOLS = [
  ...[
    '.gitconfig',
    '.config/git',
    '.nvm',
    '.volta',
    '.asdf',
    '.pyenv',
    '.rbenv',
    '.sdkman',
    '.rustup',
    '.cargo/bin',
    '.bun/bin',
  ],
  ...[
    '.cargo/registry',
    '.cargo/env',
    '.deno/bin',
    'go/bin',
    'go/pkg/mod',
    '.local/bin',
    '.local/share/mise',
    '.local/share/fnm',
  ],
  ...[
    '.local/share/pnpm',
    '.local/share/uv/python',
    '.local/share/uv/tools',
    '.local/lib',
    '.tool-versions',
    '.dotnet',
    '.jdks',
    '.m2/repository',
  ],
];
/** Below home: hidden in strict, also where something above them is shown. */
export const LOGINS = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.netrc',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.git-credentials',
  ],
  ...[
    '.config/gh',
    '.config/gcloud',
    '.config/git/credentials',
    '.config/hub',
    '.cargo/credentials',
    '.cargo/credentials.toml',
  ],
  ...[
    '.local/share/keyrings',
    '.local/share/uv/credentials',
    '.dotnet/corefx/cryptography',
    '.password-store',
    '.terraform.d',
    '.vault-token',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
  ],
];

/** Folders around a `bin` that hold programs and nothing of a person. A project may have a `bin`, too. */
const PACKAGES_OF_SYSTEM = /^\/(?:usr(?:\/local)?|opt\/.+|(?:nix|gnu|snap)\/.+|home\/linuxbrew\/\.linuxbrew)$/;
const PACKAGES_OF_HOME =
  /^\.(?:nvm\/versions\/node\/[^/]+|(?:asdf\/installs|pyenv\/versions|rbenv\/versions|sdkman\/candidates)\/.+|volta|rustup\/toolchains\/[^/]+|jdks\/[^/]+|bun|deno|local\/share\/(?:mise|fnm|pnpm)\/.+|local\/share\/uv\/(?:python|tools)\/.+)$/;
const PACKAGES_BY_NAME = /^(?:\.?venv|node-v\d.*|jdk-?\d.*|miniconda3|anaconda3|miniforge3|mambaforge)$/;

/**
 * The folder of a program with the files that it comes with: never a whole home, nor all that a person has installed
 * there, nor a project of the user.
 */
export function withItsPackage(file: string, home: string): string {
  const folder = dirname(file);
  const above = dirname(folder);
  const isPackage =
    PACKAGES_OF_SYSTEM.test(above) ||
    PACKAGES_BY_NAME.test(basename(above)) ||
    (isWithin(above, home) && PACKAGES_OF_HOME.test(above.slice(home.length + 1)));
  if (basename(folder) === 'bin' && isPackage && !isWithin(home, above)) return above;
  return folder === '/' || folder === home || home.startsWith(`${folder}/`) ? file : folder;
}
