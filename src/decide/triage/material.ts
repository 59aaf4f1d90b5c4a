/**
 * Names from a repository that tell an agent what belongs to it: routes, components, and its folders.
 * Invariant: pure and bounded. Names come from paths, so they hold no line ends.
 */

export interface Material {
  /** Such as `/orders/[id]`. */
  routes: string[];
  components: string[];
  folders: string[];
}

const MOST_PATHS = 50_000;
const MOST_NAMES = 150;
const MOST_LENGTH = 120;

const PAGE = /(?:^|\/)(?:pages|routes|app|views|screens)\/(.+)\.(?:tsx?|jsx?|vue|svelte|astro|py|rb|php|html|ejs|erb)$/;
const COMPONENT =
  /(?:^|\/)(?:[\w-]*components?|widgets|views|screens|controllers|models|services|handlers|commands)\/(?:.*\/)?([\w.-]+)\.\w+$/i;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec|fixtures|node_modules|vendor)\/|\.(?:test|spec)\./;

export function materialOf(paths: readonly string[]): Material {
  const [routes, components, folders] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const path of paths.slice(0, MOST_PATHS)) {
    if (/[\p{Cc}]/u.test(path) || path.length > 500 || TEST.test(path)) continue;
    const page = PAGE.exec(path)?.[1];
    if (page !== undefined) add(routes, `/${page.replace(/(?:^|\/)(?:index|page|route|\+page|\+server)$/, '')}`);
    const component = COMPONENT.exec(path)?.[1];
    if (component !== undefined) add(components, component);
    const folder = path.split('/').slice(0, -1).slice(0, 2).join('/');
    if (folder !== '') add(folders, folder);
  }
  return { routes: [...routes], components: [...components], folders: [...folders] };
}

function add(to: Set<string>, name: string): void {
  if (to.size < MOST_NAMES) to.add(name.slice(0, MOST_LENGTH));
}
