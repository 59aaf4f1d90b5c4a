import type { BundleOptions } from '@temporalio/worker';

export function bundleWorkflows(options: Partial<BundleOptions>): Promise<string>;
