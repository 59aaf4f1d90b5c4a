/** OpenAI Responses: `POST /v1/responses`. */
import { refuse } from './openai-faults.js';
import {
  type Answer,
  type Ask,
  halves,
  isObject,
  type Json,
  keysOf,
  newId,
  objects,
  type Protocol,
  sinceUser,
  type Turn,
  textOf,
  USAGE,
} from './protocol.js';

const usage = {
  input_tokens: USAGE.input,
  input_tokens_details: { cached_tokens: USAGE.cached },
  output_tokens: USAGE.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: USAGE.input + USAGE.output,
};

function ask(body: Json): Ask {
  const tail = sinceUser(objects(body.input), (item) => item.role === 'user');
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    tools: objects(body.tools).map((tool) => ({
      name: textOf(tool.name) || textOf(tool.type),
      properties: keysOf(isObject(tool.parameters) ? tool.parameters.properties : undefined),
      freeform: tool.type === 'custom',
    })),
    results: tail.filter((item) => textOf(item.type).endsWith('call_output')).length,
  };
}

function items(turn: Turn): Json[] {
  const all: Json[] = [];
  if (turn.text !== '') {
    const content = [{ type: 'output_text', text: turn.text, annotations: [] }];
    all.push({ type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content });
  }
  const { call } = turn;
  if (call) {
    const base = { call_id: newId('call'), name: call.name, status: 'completed' };
    if (call.freeform === undefined) {
      all.push({ type: 'function_call', id: newId('fc'), ...base, arguments: JSON.stringify(call.args) });
    } else all.push({ type: 'custom_tool_call', id: newId('ctc'), ...base, input: call.freeform });
  }
  return all;
}

function answer(turn: Turn, { model }: Ask): Answer {
  const base = { id: newId('resp'), object: 'response', created_at: Math.floor(Date.now() / 1000), model, error: null };
  const output = items(turn);
  const whole = { ...base, status: 'completed', output, usage };
  const frames: string[] = [];
  const event = (type: string, data: Json): void =>
    void frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: frames.length, ...data })}\n\n`);
  event('response.created', { response: { ...base, status: 'in_progress', output: [] } });
  output.forEach((item, index) => {
    const at = { item_id: item.id, output_index: index };
    if (item.type === 'message') {
      const part = { ...at, content_index: 0 };
      event('response.output_item.added', {
        output_index: index,
        item: { ...item, status: 'in_progress', content: [] },
      });
      event('response.content_part.added', { ...part, part: { type: 'output_text', text: '', annotations: [] } });
      for (const delta of halves(turn.text)) event('response.output_text.delta', { ...part, delta });
      event('response.output_text.done', { ...part, text: turn.text });
    } else {
      const empty = item.type === 'function_call' ? { arguments: '' } : { input: '' };
      event('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', ...empty } });
    }
    event('response.output_item.done', { output_index: index, item });
  });
  event('response.completed', { response: whole });
  return { whole, frames, half: Math.min(4, frames.length - 1) };
}

export const responses: Protocol = {
  name: 'responses',
  matches: (path) => path.endsWith('/responses'),
  ask,
  answer,
  refuse,
};
