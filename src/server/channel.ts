/**
 * Settings of a client's channel to the Temporal server.
 * Invariant: a call that is tried again after its channel was closed fails for its caller, and never ends the process.
 * Must not import @temporalio statically: commands that need no server load nothing of it.
 */
import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;
type Sdk = Pick<typeof import('@temporalio/client'), 'makeGrpcRetryInterceptor' | 'defaultGrpcRetryOptions'>;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]):\d+$/;
/** gRPC's code CANCELLED, which the SDK does not try again. */
const CANCELLED = 1;

/** A server on this machine is never asked through the proxy of `http_proxy`, which could not reach it. */
export function channel(address: string, sdk: Sdk): Pick<ConnectionOptions, 'channelArgs' | 'interceptors'> {
  const retry = sdk.makeGrpcRetryInterceptor(sdk.defaultGrpcRetryOptions());
  return {
    channelArgs: LOOPBACK.test(address) ? { 'grpc.enable_http_proxy': 0 } : {},
    interceptors: [(options, nextCall) => retry(options, (again) => begun(() => nextCall(again)))],
  };
}

/** The SDK tries again in a timer, where an error of the closed channel would be nobody's to catch. */
function begun(call: () => Call): Call {
  try {
    return call();
  } catch (error) {
    return ended(error instanceof Error ? error.message : String(error));
  }
}

function ended(details: string): Call {
  const nothing = (): void => undefined;
  return {
    start: (metadata, listener) => {
      queueMicrotask(() => {
        listener?.onReceiveMessage?.(null);
        listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata });
      });
    },
    cancelWithStatus: nothing,
    getPeer: () => '',
    sendMessageWithContext: nothing,
    sendMessage: nothing,
    startRead: nothing,
    halfClose: nothing,
    getAuthContext: () => null,
  };
}
