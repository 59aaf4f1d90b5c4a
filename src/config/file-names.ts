/** Names of the configuration file, in the order in which the loader looks for them. Must import nothing. */
export const CONFIG_FILES = ['ralphctl.yaml', 'ralphctl.yml', 'ralphctl.json'] as const;
