/**
 * Lists all formats. To add one, write a file with a {@link Format}, name it in `protocol/backlog-formats.ts`, and list
 * it here.
 */

import type { FormatName } from '../../protocol/backlog-formats.js';
import { backlogMd } from './backlog-md.js';
import { beads } from './beads.js';
import { fitchmultz } from './fitchmultz.js';
import { fixPlan } from './fix-plan.js';
import type { Format } from './format.js';
import { kiro, openspec } from './numbered.js';
import { orchestrator } from './orchestrator.js';
import { ideas, roadmap } from './own.js';
import { prd } from './prd.js';
import { ralphex } from './ralphex.js';
import { ralphy } from './ralphy.js';
import { specKit } from './spec-kit.js';
import { taskmaster } from './taskmaster.js';

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  roadmap,
  ideas,
  prd,
  beads,
  'fix-plan': fixPlan,
  ralphy,
  ralphex,
  fitchmultz,
  orchestrator,
  taskmaster,
  'spec-kit': specKit,
  kiro,
  openspec,
  'backlog-md': backlogMd,
};
