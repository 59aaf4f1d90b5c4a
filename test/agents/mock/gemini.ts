/** Gemini: `POST /v1beta/models/M:generateContent` and `:streamGenerateContent?alt=sse`. */
import {
  type Answer,
  type Ask,
  type Fault,
  halves,
  isObject,
  type Json,
  keysOf,
  newId,
  objects,
  type Protocol,
  type Refusal,
  sinceUser,
  type Turn,
  textOf,
  USAGE,
} from './protocol.js';

const isResult = (part: Json): boolean => part.functionResponse !== undefined;

function ask(body: Json, path: string): Ask {
  const said = (content: Json): boolean => content.role === 'user' && !objects(content.parts).some(isResult);
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
    stream: path.includes(':streamGenerateContent'),
    tools: objects(body.tools)
      .flatMap((tool) => objects(tool.functionDeclarations))
      .map((tool) => {
        const schema = tool.parametersJsonSchema ?? tool.parameters;
        return {
          name: textOf(tool.name),
          properties: keysOf(isObject(schema) ? schema.properties : undefined),
          freeform: false,
        };
      }),
    results: sinceUser(objects(body.contents), said).flatMap((content) => objects(content.parts).filter(isResult))
      .length,
  };
}

function answer(turn: Turn, { model }: Ask): Answer {
  const usageMetadata = {
    promptTokenCount: USAGE.input,
    cachedContentTokenCount: USAGE.cached,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
  };
  const message = (parts: Json[], last: boolean): Json => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata,
    modelVersion: model,
    responseId: newId('resp'),
  });
  const call: Json[] = turn.call ? [{ functionCall: { name: turn.call.name, args: turn.call.args } }] : [];
  const text: Json[] = turn.text === '' ? [] : [{ text: turn.text }];
  const [first, second] = halves(turn.text);
  const pieces = turn.call || turn.text === '' ? [[...text, ...call]] : [[{ text: first }], [{ text: second }]];
  return {
    whole: message([...text, ...call], true),
    frames: pieces.map((parts, i) => `data: ${JSON.stringify(message(parts, i === pieces.length - 1))}\n\n`),
    half: pieces.length - 1,
  };
}

function refuse(fault: Fault, retryAfter?: number): Refusal {
  const say = (code: number, status: string, message: string, details: Json[] = []): Refusal => ({
    status: code,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } },
  });
  const detail = (type: string, more: Json): Json => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...more });
  const retry = (seconds: number): Json => detail('RetryInfo', { retryDelay: `${seconds}s` });
  switch (fault) {
    case 'rate': {
      const details = retryAfter === undefined ? [] : [retry(retryAfter)];
      return say(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', details);
    }
    case 'usage-subscription':
    case 'usage-key': {
      const violation = {
        quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
        quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
        quotaValue: '250',
      };
      const details = [detail('QuotaFailure', { violations: [violation] }), retry(3600)];
      return say(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.', details);
    }
    case '500':
      return say(500, 'INTERNAL', 'An internal error has occurred.');
    case '503':
    case '529':
      return say(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
    case '401': {
      const details = [detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })];
      return say(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', details);
    }
    case '403':
      return say(403, 'PERMISSION_DENIED', 'Permission denied.');
    case '404':
      return say(404, 'NOT_FOUND', 'models/no-such-model is not found for API version v1beta.');
    case 'context': {
      const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
      return say(400, 'INVALID_ARGUMENT', message);
    }
  }
}

export const gemini: Protocol = {
  name: 'gemini',
  matches: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
  ask,
  answer,
  refuse,
};
