/**
 * New files that a gate script would load in place of what it loads on the base, because its folder comes first.
 * Invariant: never throws; bounded. Pure.
 */
import { dirname } from 'node:path/posix';
import { pythonModules } from './imports.js';

/** Of Python 3.8 to 3.14; those in the interpreter itself cannot be shadowed. Modules of it import each other. */
const STANDARD = new Set(
  `
  abc aifc argparse array ast asynchat asyncio asyncore audioop base64 bdb binascii bisect bz2 cProfile calendar
  cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser
  contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis
  distutils doctest email encodings ensurepip enum fcntl filecmp fileinput fnmatch fractions ftplib functools
  genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp
  importlib inspect io ipaddress json keyword linecache locale logging lzma mailbox mailcap math mimetypes mmap
  modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
  optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posixpath pprint
  profile pstats pty py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
  rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
  subprocess sunau symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading
  timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest
  urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile
  zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);

/** Names of modules that Python looks for beside the script, wherever the text that imports them lies. */
export function pythonShadows(script: string, text: string): string[] {
  const folder = dirname(script) === '.' ? '' : `${dirname(script)}/`;
  return [...new Set([...STANDARD, ...pythonModules(text)])].flatMap((name) => [
    `${folder}${name}.py`,
    `${folder}${name}/__init__.py`,
  ]);
}

/** The paths that come before the one that an import finds on the base. */
export const before = (candidates: readonly string[], found: string): string[] =>
  candidates.slice(0, Math.max(0, candidates.indexOf(found)));
