/** OpenAI Chat Completions: `POST /v1/chat/completions`. */
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
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
};

function ask(body: Json): Ask {
  const tail = sinceUser(objects(body.messages), (message) => message.role === 'user');
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    tools: objects(body.tools)
      .map((tool) => (isObject(tool.function) ? tool.function : {}))
      .map((tool) => ({
        name: textOf(tool.name),
        properties: keysOf(isObject(tool.parameters) ? tool.parameters.properties : undefined),
        freeform: false,
      })),
    results: tail.filter((message) => message.role === 'tool').length,
  };
}

function answer(turn: Turn, { model }: Ask): Answer {
  const base = { id: newId('chatcmpl'), created: Math.floor(Date.now() / 1000), model };
  const finish = turn.call ? 'tool_calls' : 'stop';
  const call = turn.call && {
    id: newId('call'),
    type: 'function',
    function: { name: turn.call.name, arguments: JSON.stringify(turn.call.args) },
  };
  const chunk = (choices: Json[], more: Json = {}): string =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  const delta = (value: Json, reason: string | null = null): string =>
    chunk([{ index: 0, delta: value, finish_reason: reason }]);
  const frames = [delta({ role: 'assistant', content: '' })];
  if (turn.text !== '') for (const content of halves(turn.text)) frames.push(delta({ content }));
  if (call) frames.push(delta({ tool_calls: [{ index: 0, ...call }] }));
  frames.push(delta({}, finish), chunk([], { usage }), 'data: [DONE]\n\n');
  const message = { role: 'assistant', content: turn.text, ...(call ? { tool_calls: [call] } : {}) };
  return {
    whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage },
    frames,
    half: turn.text === '' ? 1 : 2,
  };
}

export const chat: Protocol = {
  name: 'chat',
  matches: (path) => path.endsWith('/chat/completions'),
  ask,
  answer,
  refuse,
};
