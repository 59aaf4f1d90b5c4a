/** The prompt template that is used where the configuration names none. */
export const DEFAULT_TEMPLATE = `# {{id}}: {{title}}

You are working alone and unattended in a git worktree made for this one task. This is iteration {{iteration}} of {{max}}.
Earlier iterations left their work in the files and in \`git log\`: look there before you start.

## Task

{{phase}}{{text}}
{{success}}{{feedback}}{{notes}}
## Rules

{{rules}}

## How to end

{{signal}}
`;

/** Rules for work without a person at the keyboard. */
export const RULES = `- Nobody can answer while you work. Do not ask and wait: decide what is reasonable, or end with a signal as described below.
- Stay in this folder. Do not touch other branches, other worktrees, remotes or git configuration.
- Leave nothing running: no background processes, servers, watchers or scheduled work when you end.
- Commit your work or leave it uncommitted, as you like; what is uncommitted is committed for you.
- Do not weaken, skip or delete tests, checks or their configuration to make them pass.
- The quality checks run again after you, on their own. What you say about them changes nothing.`;
