/** Anthropic Messages: `POST /v1/messages`. */
import {
  type Answer,
  type Ask,
  halves,
  isObject,
  type Json,
  keysOf,
  limitEnd,
  newId,
  objects,
  type Protocol,
  type Refusal,
  sinceUser,
  type Turn,
  textOf,
  USAGE,
} from './protocol.js';

const isResult = (block: Json): boolean => block.type === 'tool_result';

function ask(body: Json): Ask {
  const said = (message: Json): boolean =>
    message.role === 'user' && !(Array.isArray(message.content) && objects(message.content).some(isResult));
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    tools: objects(body.tools).map((tool) => ({
      name: textOf(tool.name),
      properties: keysOf(isObject(tool.input_schema) ? tool.input_schema.properties : undefined),
      freeform: false,
    })),
    results: sinceUser(objects(body.messages), said).flatMap((message) => objects(message.content).filter(isResult))
      .length,
  };
}

const event = (type: string, data: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function answer(turn: Turn, { model }: Ask): Answer {
  const usage = { input_tokens: USAGE.input, cache_creation_input_tokens: 0, cache_read_input_tokens: USAGE.cached };
  const stop = turn.call ? 'tool_use' : 'end_turn';
  const base = { id: newId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
  const content: Json[] = turn.text === '' ? [] : [{ type: 'text', text: turn.text }];
  if (turn.call) content.push({ type: 'tool_use', id: newId('toolu'), name: turn.call.name, input: turn.call.args });
  const frames = [
    event('message_start', {
      message: { ...base, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
  ];
  content.forEach((block, index) => {
    const delta = (value: Json): void => void frames.push(event('content_block_delta', { index, delta: value }));
    if (block.type === 'text') {
      frames.push(event('content_block_start', { index, content_block: { type: 'text', text: '' } }));
      for (const text of halves(turn.text)) delta({ type: 'text_delta', text });
    } else {
      frames.push(event('content_block_start', { index, content_block: { ...block, input: {} } }));
      delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
    }
    frames.push(event('content_block_stop', { index }));
  });
  frames.push(
    event('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    }),
    event('message_stop', {}),
  );
  return {
    whole: { ...base, content, stop_reason: stop, usage: { ...usage, output_tokens: USAGE.output } },
    frames,
    half: 3,
    headers: { 'anthropic-ratelimit-unified-status': 'allowed' },
  };
}

function refuse(fault: Parameters<Protocol['refuse']>[0], retryAfter?: number): Refusal {
  const wait: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const say = (status: number, type: string, message: string, headers: Record<string, string> = {}): Refusal => ({
    status,
    headers,
    body: { type: 'error', error: { type, message }, request_id: newId('req') },
  });
  switch (fault) {
    case 'rate':
      return say(429, 'rate_limit_error', "This request would exceed your organization's rate limit.", wait);
    case 'usage-subscription':
      return say(429, 'rate_limit_error', "This request would exceed your account's rate limit. Try again later.", {
        'retry-after': '3600',
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(limitEnd()),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-overage-status': 'rejected',
      });
    case 'usage-key':
      return say(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.');
    case '500':
      return say(500, 'api_error', 'Internal server error');
    case '503':
      return say(503, 'api_error', 'Service unavailable');
    case '529':
      return say(529, 'overloaded_error', 'Overloaded');
    case '401':
      return say(401, 'authentication_error', 'invalid x-api-key');
    case '403':
      return say(403, 'permission_error', 'Your API key does not have permission to use the specified resource.');
    case '404':
      return say(404, 'not_found_error', 'model: no-such-model');
    case 'context':
      return say(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
  }
}

export const anthropic: Protocol = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/messages'),
  ask,
  answer,
  refuse,
};
