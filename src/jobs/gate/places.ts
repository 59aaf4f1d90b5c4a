/**
 * `gate.parallel`: how many gates of ideas run at a time in one project.
 * Invariant: first come, first served, and each place is given back exactly once. In memory: one job process runs all gates
 * of a project on its host.
 */
interface Waiting {
  most: number;
  begin: () => void;
}

const taken = new Map<string, number>();
const waiting = new Map<string, Waiting[]>();

/** Resolves when the gate may run, to what gives its place back. Rejects with the signal's reason. */
export async function gatePlace(project: string, most: number | undefined, signal: AbortSignal): Promise<() => void> {
  if (most === undefined) return () => undefined;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const line = waiting.get(project) ?? [];
    waiting.set(project, line);
    const leave = (): void => {
      line.splice(line.indexOf(one), 1);
      reject(signal.reason as Error);
      serve(project);
    };
    const one: Waiting = {
      most,
      begin: () => {
        signal.removeEventListener('abort', leave);
        resolve();
      },
    };
    signal.addEventListener('abort', leave, { once: true });
    line.push(one);
    serve(project);
  });
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    count(project, -1);
    serve(project);
  };
}

const count = (project: string, by: number): void => {
  taken.set(project, (taken.get(project) ?? 0) + by);
};

/** The number of the first one in line counts: a reload may have changed it. */
function serve(project: string): void {
  const line = waiting.get(project) ?? [];
  for (let [first] = line; first && (taken.get(project) ?? 0) < first.most; [first] = line) {
    line.shift();
    count(project, 1);
    first.begin();
  }
}
