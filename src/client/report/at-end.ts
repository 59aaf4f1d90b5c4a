/** Prints the first part of the report when an attached `start` sees its run end. Never fails the end of a run. */
import type { RunRef } from '../../protocol/run-ref.js';
import { makeReport } from '../../report/build.js';
import { firstPart } from '../../report/text.js';
import type { Context } from '../context.js';
import { gather } from './gather.js';
import { keepReport } from './keep.js';
import { printLines, textWidth } from './print.js';

export async function reportAtEnd(context: Context, ref: RunRef): Promise<void> {
  try {
    const found = await gather(context, ref);
    if (!found) return;
    const report = makeReport(found.model, { ...found.extra, over: true });
    const page = await keepReport(context.root, ref, report);
    const width = textWidth();
    const lines = firstPart(report, width === undefined ? {} : { width });
    printLines([...lines, '', `the whole report: ralphctl report     as a page: ${page}`]);
  } catch {
    // The run's files may be unreadable. The summary is printed already.
  }
}
