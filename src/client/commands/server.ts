/** `ralphctl server start|stop|status|logs`: the embedded Temporal server of this user. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ensureServer } from '../../server/embedded.js';
import { serverLogPath } from '../../server/files.js';

import { serverStatus, stopServer } from '../../server/stop.js';
import { type Context, print, printJson, say } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { writeAll } from '../output.js';
import { ensureStateFolder } from '../state-folder.js';
import { UserError } from '../user-error.js';

export type ServerAction = 'start' | 'stop' | 'status' | 'logs';
const LOG_BYTES = 64 * 1024;

export async function server(context: Context, action: ServerAction): Promise<number> {
  switch (action) {
    case 'start': {
      await ensureStateFolder(context);
      const record = await ensureServer({ ...context, onProgress: say });
      if (context.json) printJson(record);
      else print(`Temporal ${record.version.server} at ${record.address}, Web UI ${record.uiUrl}`);
      return EXIT.ok;
    }
    case 'stop': {
      const stopped = await stopServer(context.root);
      if (context.json) printJson({ stopped });
      else print(stopped ? 'server stopped; its data is kept' : 'no server was running');
      return EXIT.ok;
    }
    case 'status': {
      const status = await serverStatus(context.root);
      if (context.json) printJson(status);
      else if (status.state !== 'running' || !status.record) print(`server ${status.state}`);
      else {
        const { record } = status;
        print(`server running (pid ${record.pid}), Temporal ${record.version.server} at ${record.address}`);
        print(`Web UI ${record.uiUrl}`);
        print(`database ${(status.dbBytes / 1024 / 1024).toFixed(1)} MB`);
      }
      return status.state === 'running' ? EXIT.ok : EXIT.unreachable;
    }
    case 'logs': {
      const path = serverLogPath(context.root);
      const found = await stat(path).catch(() => undefined);
      if (!found) throw new UserError('there is no server log yet. Start the server with: ralphctl server start');
      const stream = createReadStream(path, { start: Math.max(0, found.size - LOG_BYTES) });
      for await (const chunk of stream) await writeAll(process.stdout, chunk as Buffer);
      return EXIT.ok;
    }
  }
}
