/** Variables of `gh`, for issues and for pull requests alike. Invariant: it asks nobody. Must not import anything. */

/** With its login, and the host that it takes where none is named. */
export const GH_VARIABLES = [
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR'],
  ...['GH_PATH', 'APPDATA'],
];
export const GH_SET = {
  ...{ GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', GH_PAGER: 'cat', PAGER: 'cat' },
};
