/**
 * Reads data that the visible part of the screen needs beside the model, and no more.
 * Invariant: reads and asks only. Drops an answer that arrives after the person has moved on.
 */
import { join } from 'node:path';
import { ideaDir, iterationDir } from '../../config/paths.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { loadIdea, loadRun } from '../../run-files/run.js';
import type { Details, IdeaDetails } from '../../screen/details.js';
import { gateKey, shownGate } from '../../screen/idea/gate.js';
import { isOfEarlierRun } from '../../screen/idea/page-idea.js';
import { isPast, runShown } from '../../screen/past.js';
import type { Ui } from '../../screen/ui.js';
import type { RunApi } from '../api/run.js';
import { ideaInRuns, landedEarlier } from '../model/idea-runs.js';
import { AgentRunFiles, gateOutputOf } from './idea-files.js';
import { IdeaGit } from './idea-git.js';
import { SlotActs } from './slot-acts.js';

const WHY_EVERY_MS = 10_000;
const MINUTE = 60_000;
const DETAILS_MS = 2000;
const STREAM_MS = 1000;

export class DetailReader {
  readonly #root: string;
  readonly #git: IdeaGit;
  readonly #api: () => RunApi | undefined;
  readonly #acts: SlotActs;
  #run: { key: string; files: AgentRunFiles } | undefined;
  #idea: IdeaDetails | undefined;
  #whyAt = 0;
  #before: { id: string; runId: string; found: IdeaDetails['before'] } | undefined;

  #said: { of: string; found: NonNullable<IdeaDetails['saidBefore']> } | undefined;

  #worked: { of: string; found: Pick<IdeaDetails, 'earlier'> } | undefined;

  constructor(root: string, repo: string, api: () => RunApi | undefined) {
    this.#root = root;
    this.#acts = new SlotActs(root);
    this.#git = new IdeaGit(repo);
    this.#api = api;
  }

  async read(
    current: RunModel,
    ui: Ui,
    selected: string | undefined,
    past?: RunModel,
  ): Promise<Pick<Details, 'nowOf' | 'quietMs' | 'dollarsOf' | 'idea'>> {
    const model = runShown(current, ui, past ? { past } : {});
    if (!model) {
      await this.#leave();
      return this.#slots();
    }
    if (ui.screen === 'run') await this.#acts.read(model);
    const about = ui.screen === 'idea' ? ui.idea : ui.screen === 'needs' ? selected : undefined;
    const idea = about === undefined ? undefined : model.ideas.get(about);
    if (idea) await this.#page(model, idea, ui, selected);
    else await this.#leave();
    return { ...this.#slots(), ...(this.#idea ? { idea: this.#idea } : {}) };
  }

  #slots(): Pick<Details, 'nowOf' | 'quietMs' | 'dollarsOf'> {
    return { nowOf: this.#acts.now, quietMs: this.#acts.quiet, dollarsOf: this.#acts.dollars };
  }

  async #page(model: RunModel, wanted: IdeaModel, ui: Ui, selected: string | undefined): Promise<void> {
    const before = await this.#earlierRun(model, wanted);
    const idea = before?.idea ?? wanted;
    const serial = (ui.screen === 'idea' ? ui.serial : undefined) ?? idea.iterations.at(-1)?.serial;
    const ref = { project: model.project, runId: before?.runId ?? model.runId };
    const key = `${ref.runId} ${idea.id} ${serial}`;
    if (this.#run?.key !== key) {
      await this.#leave();
      if (serial !== undefined) this.#run = { key, files: new AgentRunFiles(this.#root, ref, idea.id, serial) };
    }
    const ofRun = isPast(ui) ? model.runId : undefined;
    const kept = this.#idea?.id === idea.id && this.#idea.ofRun === ofRun ? this.#idea : undefined;
    const next: IdeaDetails = {
      id: idea.id,
      ...(ofRun === undefined ? {} : { ofRun }),
      ...(serial === undefined ? {} : { serial }),
      ...(kept?.why ? { why: kept.why } : {}),
      ...(before ? { before } : {}),
      ...(await this.#workedBefore(ref, idea)),
      ...(await this.#limits(model, idea)),
      ...(await this.#run?.files.read()),
    };
    if (ui.screen === 'idea') {
      if (ui.tab === 'said' || ui.beside === 'said') next.saidBefore = await this.#saidInEarlier(ref, idea.id);
      const gateOutput = await this.#gateOutput(ref, idea, ui.serial);
      if (gateOutput) next.gateOutput = gateOutput;
      const outputOf = gateKey(shownGate(idea, ui.serial));
      if (outputOf !== undefined) next.outputOf = outputOf;
      // Branch and worktree are those of now; of an older run, only a landing is as it was.
      if (ofRun === undefined || idea.status === 'landed')
        Object.assign(
          next,
          await this.#git.read(idea, model.target, ui.tab === 'diff' ? (ui.file ?? selected ?? '') : undefined),
        );
    }
    const now = Date.now();
    if (ofRun === undefined && (now - this.#whyAt > WHY_EVERY_MS || kept === undefined)) {
      this.#whyAt = now;
      const why = await this.#api()
        ?.why(idea.id)
        .catch(() => undefined);
      if (why) {
        const { score, parts, waitsFor, possible, stack } = why;
        next.why = { score, parts, waitsFor, ...(possible ? { possible } : {}), ...(stack ? { stack } : {}) };
      }
    }
    this.#idea = next;
  }

  /** The output of the gate whose commands the page shows: of that iteration, or on the merged tree. */
  async #gateOutput({ project, runId }: RunRef, idea: IdeaModel, serial?: number): Promise<IdeaDetails['gateOutput']> {
    const { merged, run } = shownGate(idea, serial);
    if (merged) return gateOutputOf(join(ideaDir(this.#root, project, runId, idea.id), 'landing'));
    if (!run) return undefined;
    return gateOutputOf(join(iterationDir(this.#root, project, runId, idea.id, run.serial), 'gate'));
  }

  /** The facts that an earlier run has about an idea that landed before this run began. */
  async #earlierRun({ project, runId }: RunModel, idea: IdeaModel): Promise<IdeaDetails['before']> {
    if (!isOfEarlierRun(idea)) return undefined;
    const { id } = idea;
    if (this.#before?.id !== id || this.#before.runId !== runId) {
      const runs = await ideaInRuns(this.#root, project, id).catch(() => []);
      this.#before = { id, runId, found: landedEarlier(runs, runId) };
    }
    return this.#before.found;
  }

  /** What an earlier run knows of an idea that this one has not begun. */
  async #workedBefore(
    { project, runId }: RunRef,
    { id, iterations }: IdeaModel,
  ): Promise<Pick<IdeaDetails, 'earlier'>> {
    if (iterations.length > 0) return {};
    const of = `${runId} ${id}`;
    if (this.#worked?.of !== of) {
      const runs = await ideaInRuns(this.#root, project, id).catch(() => []);
      const found = runs.find((one) => one.runId < runId && one.idea.iterations.length > 0);
      this.#worked = { of, found: found ? { earlier: found } : {} };
    }
    return this.#worked.found;
  }

  async #saidInEarlier({ project, runId }: RunRef, id: string): Promise<NonNullable<IdeaDetails['saidBefore']>> {
    const of = `${runId} ${id}`;
    if (this.#said?.of !== of) {
      const runs = await ideaInRuns(this.#root, project, id).catch(() => []);
      const found = runs.filter((one) => one.runId < runId && one.idea.said.length > 0).reverse();
      this.#said = { of, found: found.map((one) => ({ runId: one.runId, said: one.idea.said })) };
    }
    return this.#said.found;
  }

  async #limits({ project, runId }: RunModel, { id }: IdeaModel): Promise<Partial<IdeaDetails>> {
    const ref = { project, runId };
    const run = await loadRun(this.#root, ref).catch(() => undefined);
    const idea = run && (run.ideas.get(id) ?? (await loadIdea(this.#root, ref, id).catch(() => undefined)));
    if (!run || !idea) return {};
    const { config } = run.file;
    return {
      iterationLimitMs: (idea.iterationTimeoutMinutes ?? config.iterationTimeoutMinutes) * MINUTE,
      ideaLimitMs: (idea.timeoutMinutes ?? config.timeoutMinutes) * MINUTE,
      gateCommands: config.gate.commands.map(({ name }) => name),
    };
  }

  async #leave(): Promise<void> {
    await this.#run?.files.close();
    this.#run = undefined;
    this.#idea = undefined;
  }
}

/** Time between two reads. */
export const readsEvery = ({ screen, tab }: Ui): number =>
  screen === 'idea' && tab === 'agent' ? STREAM_MS : DETAILS_MS;

/** Whether the person now looks at something that has details of its own. */
export function asksOther(before: Ui, now: Ui): boolean {
  if ((['screen', 'idea', 'tab', 'serial', 'file', 'ofRun'] as const).some((key) => before[key] !== now[key]))
    return true;
  const { screen } = now;
  return (screen === 'idea' || screen === 'needs') && before.selected[screen]?.id !== now.selected[screen]?.id;
}
