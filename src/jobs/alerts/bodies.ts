/** Builds the request of each webhook format. Pure. */
import type { NotifyRow } from '../../config/schema/notify.js';
import type { Message } from './message.js';
import { payloadOf } from './payload.js';

type Format = Extract<NotifyRow, { to: 'webhook' }>['format'];

export interface WebhookRequest {
  url: string;
  body: string;
}

/** Discord rejects longer messages. */
const MOST_DISCORD = 2000;
/** Slack truncates longer messages, and ntfy turns them into a file. */
const MOST_TEXT = 3500;

export function requestFor(format: Format, url: string, message: Message): WebhookRequest {
  switch (format) {
    case 'json':
      return { url, body: JSON.stringify(payloadOf(message)) };
    case 'ntfy':
      return ntfy(url, message);
    case 'slack':
      return {
        url,
        body: JSON.stringify({
          text: cut(`*${slack(message.title)}*\n${rest(message).map(slack).join('\n')}`, MOST_TEXT),
        }),
      };
    case 'discord': {
      const content = cut(`**${discord(message.title)}**\n${rest(message).map(discord).join('\n')}`, MOST_DISCORD);
      // Text from an agent must not mention a person or a role.
      return { url, body: JSON.stringify({ content, allowed_mentions: { parse: [] } }) };
    }
  }
}

const rest = ({ lines, link }: Message): string[] => [...lines, ...(link === undefined ? [] : [link])];

/** ntfy accepts JSON at its root URL with the topic inside, because headers cannot hold every letter. */
function ntfy(url: string, message: Message): WebhookRequest {
  const address = new URL(url);
  const parts = address.pathname.split('/').filter(Boolean);
  const topic = parts.pop() ?? '';
  address.pathname = `/${parts.join('/')}`;
  const body = {
    topic: decodeURIComponent(topic),
    title: message.title,
    message: cut(message.lines.join('\n'), MOST_TEXT),
    priority: message.urgent ? 4 : 3,
    ...(message.link === undefined ? {} : { click: message.link }),
  };
  return { url: address.href, body: JSON.stringify(body) };
}

/** Slack parses these three characters as markup, including mentions. */
const slack = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const discord = (text: string): string =>
  /^https?:\/\/\S+$/.test(text) ? text : text.replace(/[\\*_~`|>#[\]]/g, '\\$&');

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
