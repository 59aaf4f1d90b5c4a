/** How OpenAI refuses, the same for Responses and Chat Completions. */
import { type Fault, LIMIT_ENDS_IN, limitEnd, type Refusal } from './protocol.js';

export function refuse(fault: Fault, retryAfter?: number): Refusal {
  const say = (status: number, type: string, code: string | null, message: string): Refusal => ({
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: { error: { message, type, param: null, code } },
  });
  switch (fault) {
    case 'rate':
      return say(429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests per min (RPM): Limit 3.');
    case 'usage-subscription':
      return {
        status: 429,
        headers: {},
        body: {
          error: {
            type: 'usage_limit_reached',
            message: 'The usage limit has been reached',
            plan_type: 'plus',
            resets_at: limitEnd(),
            resets_in_seconds: LIMIT_ENDS_IN,
          },
        },
      };
    case 'usage-key': {
      const message = 'You exceeded your current quota, please check your plan and billing details.';
      return say(429, 'insufficient_quota', 'insufficient_quota', message);
    }
    case '500':
      return say(500, 'server_error', null, 'The server had an error while processing your request.');
    case '503':
      return say(503, 'server_error', 'service_unavailable', 'The engine is currently overloaded, please try later.');
    case '529':
      return say(529, 'server_error', 'overloaded', 'Overloaded');
    case '401':
      return say(401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-mock.');
    case '403':
      return say(403, 'invalid_request_error', 'forbidden', 'Country, region, or territory not supported');
    case '404':
      return say(404, 'invalid_request_error', 'model_not_found', 'The model `no-such-model` does not exist.');
    case 'context': {
      const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
      return say(400, 'invalid_request_error', 'context_length_exceeded', message);
    }
  }
}
