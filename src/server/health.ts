/**
 * Asks a Temporal frontend on loopback whether it serves: one gRPC health check over plain HTTP/2. It takes
 * milliseconds, needs no SDK, and fails for a stopped or hung process, which would accept a TCP connection.
 * Must not import @temporalio.
 */
import { connect } from 'node:http2';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
/** `HealthCheckRequest{service}` in a gRPC frame: flag, length, field 1, text. */
const REQUEST = Buffer.concat([
  Buffer.from([0, 0, 0, 0, SERVICE.length + 2, 0x0a, SERVICE.length]),
  Buffer.from(SERVICE, 'ascii'),
]);
/** `HealthCheckResponse{status: SERVING}` in a gRPC frame. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 0x08, 0x01]);

/** True when the frontend at `address` (`host:port`) says SERVING within `timeoutMs`. Never throws. */
export function isServing(address: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const timer = setTimeout(() => finish(false), timeoutMs);
    let finished = false;
    const finish = (serving: boolean): void => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      session.destroy();
      resolve(serving);
    };
    session.on('error', () => finish(false));
    session.on('close', () => finish(false));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on('error', () => finish(false));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => finish(Buffer.concat(chunks).equals(SERVING)));
    stream.end(REQUEST);
  });
}
