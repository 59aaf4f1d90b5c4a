/** What `glab` needs, for issues and for merge requests alike. Invariant: it asks nobody. Must not import anything. */

/** With its login, and where its settings are. */
export const GLAB_VARIABLES = [
  ...['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN', 'GITLAB_HOST', 'GL_HOST', 'GITLAB_API_HOST'],
  ...['GLAB_CONFIG_DIR', 'APPDATA'],
];
export const GLAB_SET = {
  // Versions that know `NO_PROMPT` only ask nothing without a terminal.
  ...{ GLAB_NO_PROMPT: '1', NO_COLOR: '1', PAGER: 'cat' },
  ...{ GLAB_CHECK_UPDATE: 'false', GLAB_SEND_TELEMETRY: 'false' },
};

/** Developer: who may push branches and set labels. */
export const MEMBER_LEVEL = 30;
