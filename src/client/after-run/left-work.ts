/**
 * The ideas of a run that has ended that still work, for commands on a closed project.
 * Invariant: a command ends none of them unless a person has agreed, in a terminal or with `--force`.
 */
import { EXIT, UserError } from '../../protocol/user-error.js';
import { runningWorker } from '../../worker/record.js';
import { type Connected, connect } from '../api/connection.js';
import { endLeft, type LeftWorking, leftWorking, worksNow } from '../api/left-working.js';
import { confirmed } from '../confirm.js';
import { type Context, say } from '../context.js';
import { leftName, stillWorks } from '../views/left-working-lines.js';

/** A worker ends an agent within its grace period and saves its changes. */
const MOST_WAIT_MS = 30_000;

/** How a command reaches them. */
export interface LeftAccess {
  list(): Promise<LeftWorking[]>;
  end(idea: string): Promise<void>;
}

/** Without a server nothing is known: then the files tell of an open run, and commands refuse before. */
export function leftOnServer(context: Context, project: string): LeftAccess {
  const connected = async <T>(act: (found: Connected) => Promise<T>): Promise<T | undefined> => {
    const found = await connect(context, { start: false, project }).catch((error: unknown) => {
      if (error instanceof UserError && error.exitCode === EXIT.unreachable) return undefined;
      throw error;
    });
    if (!found) return undefined;
    try {
      return await act(found);
    } finally {
      await found.close();
    }
  };
  return {
    list: async () => (await connected(({ client }) => leftWorking(client, project))) ?? [],
    end: async (idea) => {
      await connected(async ({ client, target }) => {
        // Nothing records who polls an external server.
        const worker = target.kind === 'external' || (await runningWorker(context.root, project)) !== undefined;
        await endLeft(client, project, idea, worker ? MOST_WAIT_MS : 0);
      });
    },
  };
}

export class LeftWork {
  readonly #context: Context;
  readonly #access: LeftAccess;
  #known: Promise<LeftWorking[]> | undefined;

  constructor(context: Context, access: LeftAccess) {
    this.#context = context;
    this.#access = access;
  }

  /** Those among `ideas` that are open on the server. */
  async among(ideas: readonly string[]): Promise<LeftWorking[]> {
    this.#known ??= this.#access.list();
    return (await this.#known).filter(({ idea }) => ideas.includes(idea));
  }

  /**
   * Ends them, where a person has agreed. Those that wait lose nothing but their question.
   * @param force the command that does it without a question; undefined: there is none, and a person ends them first
   * @throws UserError where a person has not agreed; then all go on
   */
  async end(
    ideas: readonly string[],
    { agreed, force }: { agreed: boolean; force: string | undefined },
  ): Promise<void> {
    const left = await this.among(ideas);
    const working = left.filter(worksNow);
    if (working.length > 0 && !agreed) await this.#ask(working, force);
    for (const one of left) {
      if (worksNow(one)) say(`ends ${leftName(one)} and saves its work …`);
      await this.#access.end(one.idea);
    }
    const others = (await this.#known)?.filter((one) => !left.includes(one)) ?? [];
    this.#known = Promise.resolve(others);
  }

  async #ask(working: readonly LeftWorking[], force: string | undefined): Promise<void> {
    const what = stillWorks(working);
    const [first] = working;
    const it = working.length === 1 ? 'it' : 'them';
    if (force !== undefined && (await confirmed(this.#context, `${what}.\nEnd ${it} and save the work?`))) return;
    const end = force ?? `ralphctl cleanup ${first?.idea} --force`;
    throw new UserError(
      `nothing was changed: ${what}. Take ${it} over: ralphctl start. Or end ${it}, with the work saved: ${end}`,
      EXIT.refused,
    );
  }
}
