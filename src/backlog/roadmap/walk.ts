/**
 * Finds the tasks in a parsed roadmap. Invariant: every checkbox item with an id outside quotations and code becomes a
 * task or a problem. Every bullet below a task becomes a property, part of its text, or a separate task.
 */
import type { Code, Html, List, ListItem, Nodes, Paragraph, RootContent } from 'mdast';
import { visit } from 'unist-util-visit';
import type { Problem } from '../../config/problems.js';
import type { Chunk } from './chunks.js';
import {
  type Checkbox,
  checkbox,
  columnOf,
  endOf,
  firstParagraph,
  type Heading,
  idAndTitle,
  lineOf,
  oneLine,
  plain,
  startOf,
} from './nodes.js';
import { asProperty, type Property } from './properties.js';
import { type Range, taskText, wholeLines } from './text.js';

export interface RawTask {
  /** Absent when the item has none. */
  id?: string;
  title: string;
  text: string;
  done: boolean;
  /** Offset of the checkbox's character in the whole text. */
  mark: number;
  line: number;
  /** Index of the enclosing heading. */
  section: number;
  phase?: string;
  parent?: RawTask;
  properties: Property[];
}

interface Open {
  task: RawTask;
  column: number;
  end: number;
  ranges: Range[];
  cuts: Range[];
}

const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const CHECKBOX_LINE = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\]\s/;
const COMMENT = /<!--[\s\S]*?-->/g;

export class Walk {
  readonly tasks: RawTask[] = [];
  readonly problems: Problem[] = [];
  readonly headings: string[] = [];
  readonly #file: string;
  #section = 0;
  #phase: string | undefined;
  #source = '';
  #line = 0;
  #offset = 0;
  #open: Open[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds the next piece of the file. */
  add(chunk: Chunk): void {
    this.#source = chunk.text;
    this.#line = chunk.line;
    this.#offset = chunk.offset;
    this.#open = [];
    this.#blocks(chunk.root().children);
    for (const { task, ranges, cuts } of this.#open) {
      task.text = taskText(this.#source, ranges, cuts);
      task.title ||= oneLine(task.text.split('\n')[0] ?? '');
    }
  }

  #problem(node: Nodes, message: string, fix: string, extraLines = 0): void {
    this.problems.push({ file: this.#file, line: this.#line + lineOf(node) + extraLines, message, fix });
  }

  /** `owner`: the task above these blocks. `direct`: the blocks stand directly below it, where properties may stand. */
  #blocks(nodes: readonly RootContent[], owner?: Open, direct = true): void {
    let last: Open | undefined;
    for (const [i, node] of nodes.entries()) {
      if (node.type === 'list') last = this.#list(node, nodes[i + 1], last, owner, direct);
      else if (node.type === 'html') this.#html(node, last ?? owner);
      else if (node.type === 'heading' && !owner) {
        this.#heading(oneLine(plain(node)), node.depth);
        last = undefined;
      } else if (last && columnOf(node) > last.column) this.#adopt(last, node, owner);
      else {
        last = undefined;
        if (!owner) continue;
        if (direct && node.type === 'code') this.#codeProperties(node, owner);
        else this.#comments(node, owner);
      }
    }
  }

  #heading(text: string, depth: number): void {
    this.#section++;
    // A level-1 heading at the start is the file's title, not a phase.
    this.#phase = this.headings.length === 0 && depth === 1 ? undefined : text || undefined;
    this.headings.push(text);
  }

  #list(
    list: List,
    next: RootContent | undefined,
    before: Open | undefined,
    owner: Open | undefined,
    direct: boolean,
  ): Open | undefined {
    let last = before;
    for (const [i, item] of list.children.entries()) {
      const task = this.#asTask(item, list.children[i + 1] ?? next, owner);
      if (task) last = task;
      else if (last && columnOf(item) > last.column) this.#adopt(last, item, owner);
      else if (owner) this.#below(item, owner, direct);
      else {
        const property = this.#property(item);
        if (last && property?.known) {
          this.#problem(
            item,
            `property "${property.name}" is beside its task, not below it`,
            'indent it by two spaces',
          );
          continue;
        }
        last = undefined;
        this.#blocks(item.children);
      }
    }
    return last;
  }

  /** Opens a task. Skips an item without a checkbox, and an item below another task that has no id. */
  #asTask(item: ListItem, next: RootContent | undefined, owner: Open | undefined): Open | undefined {
    const box = checkbox(item, this.#source);
    if (!box) return undefined;
    if ('odd' in box) {
      const from = startOf(box.paragraph) + box.odd.length + 3;
      if (idAndTitle(box.paragraph, from, this.#source).id !== undefined) {
        this.#problem(item, `"[${box.odd}]" is not a checkbox`, 'write [ ] for an open task, [x] for a done one');
      }
      return undefined;
    }
    const heading = idAndTitle(box.paragraph, box.end, this.#source);
    if (heading.id === undefined && owner) return undefined;
    // The parser may extend an item with an unclosed fence into the next item.
    const end = Math.min(endOf(item), owner?.end ?? endOf(item), next ? startOf(next) : endOf(item));
    return this.#task(item, end, box, heading, owner);
  }

  #task(item: ListItem, end: number, box: Checkbox, heading: Heading, owner: Open | undefined): Open {
    const { done, mark, paragraph } = box;
    const task: RawTask = {
      ...(heading.id === undefined ? {} : { id: heading.id }),
      title: '',
      text: '',
      done,
      mark: this.#offset + mark,
      line: this.#line + lineOf(item),
      section: this.#section,
      ...(this.#phase === undefined ? {} : { phase: this.#phase }),
      ...(owner ? { parent: owner.task } : {}),
      properties: [],
    };
    const open: Open = { task, column: columnOf(item), end, ranges: [[heading.textStart, end]], cuts: [] };
    owner?.cuts.push(wholeLines(this.#source, [startOf(item), end]));
    this.tasks.push(task);
    this.#open.push(open);
    this.#comments(paragraph, open);
    this.#deepLines(paragraph, heading.textStart, open);
    const title = heading.title.split(/\r\n?|\n/);
    task.title = oneLine(title.filter((line, i) => i === 0 || !this.#deepProperty(line)).join(' '));
    this.#blocks(item.children.slice(1), open);
    return open;
  }

  #deepProperty(line: string): { name: string; value: string } | undefined {
    return BULLET.test(line) ? asProperty(line.replace(BULLET, '').trimEnd()) : undefined;
  }

  /** Handles bullets with such deep indentation that Markdown parses them as part of the paragraph. */
  #deepLines(paragraph: Paragraph, from: number, open: Open): void {
    let at = startOf(paragraph);
    const lines = this.#source.slice(at, endOf(paragraph)).split(/(?<=\n|\r(?!\n))/);
    lines.forEach((line, i) => {
      const start = at;
      at += line.length;
      if (i === 0 || start < from) return;
      const property = this.#deepProperty(line);
      if (property) {
        open.task.properties.push({ ...property, entries: [], line: this.#line + lineOf(paragraph) + i });
        open.cuts.push([start, at]);
      } else if (CHECKBOX_LINE.test(line)) {
        this.#problem(paragraph, 'this checkbox is indented too far to be a list item', 'indent it by two spaces', i);
      }
    });
  }

  /** Handles bullets in an indented code block, which starts after an empty line. */
  #codeProperties(node: Code, open: Open): void {
    const source = this.#source.slice(startOf(node), endOf(node));
    if (/^\s*(?:`{3}|~{3})/.test(source)) return;
    const found = source.split(/\r\n?|\n/).map((line) => (line.trim() === '' ? 'blank' : this.#deepProperty(line)));
    if (found.includes(undefined)) return;
    found.forEach((property, i) => {
      if (typeof property !== 'object') return;
      open.task.properties.push({ ...property, entries: [], line: this.#line + lineOf(node) + i });
    });
    open.cuts.push(wholeLines(this.#source, [startOf(node), endOf(node)]));
  }

  #property(item: ListItem): { name: string; value: string; known: boolean } | undefined {
    const paragraph = firstParagraph(item);
    return paragraph && asProperty(this.#source.slice(startOf(paragraph), endOf(paragraph)));
  }

  /** Handles a bullet below a task: a property or text. */
  #below(item: ListItem, open: Open, direct: boolean): void {
    const property = direct ? this.#property(item) : undefined;
    if (!property) {
      this.#blocks(item.children, open, false);
      return;
    }
    const { name, value } = property;
    const rest = item.children.slice(1);
    const entries = rest.flatMap((node) =>
      node.type === 'list'
        ? node.children.map((entry) =>
            taskText(this.#source, [[startOf(entry.children[0] ?? entry), endOf(entry)]], []),
          )
        : node.type === 'html'
          ? []
          : [taskText(this.#source, [[startOf(node), endOf(node)]], [])],
    );
    open.task.properties.push({ name, value, entries, line: this.#line + lineOf(item) });
    open.cuts.push(wholeLines(this.#source, [startOf(item), endOf(item)]));
  }

  /** Assigns a node to the task above it by indentation, where Markdown does not nest it. */
  #adopt(open: Open, node: RootContent, owner: Open | undefined): void {
    const range = wholeLines(this.#source, [startOf(node), endOf(node)]);
    open.ranges.push(range);
    owner?.cuts.push(range);
    if (node.type === 'listItem') this.#below(node, open, true);
    else this.#comments(node, open);
  }

  /** Cuts comments below a node out of the task's text. */
  #comments(node: Nodes, open: Open): void {
    visit(node, 'html', (html) => {
      if (html.value.startsWith('<!--')) open.cuts.push([startOf(html), endOf(html)]);
    });
  }

  /** Handles a block of HTML. Markdown does not parse its content, so a task inside it is a problem. */
  #html(node: Html, open: Open | undefined): void {
    const from = startOf(node);
    const source = this.#source.slice(from, endOf(node));
    for (const comment of source.matchAll(COMMENT)) {
      open?.cuts.push([from + comment.index, from + comment.index + comment[0].length]);
    }
    const rest = source.replace(COMMENT, '');
    if (rest.includes('<!--')) this.#problem(node, 'this comment is never closed', 'close it with -->');
    else if (rest.split(/\r\n?|\n/).some((line) => CHECKBOX_LINE.test(line))) {
      const fix = 'put an empty line between the HTML and the list';
      this.#problem(node, 'Markdown does not read the checkbox in this block of HTML', fix);
    }
  }
}
