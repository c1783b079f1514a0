import { fromBase64 } from '@ipfsz/utils/base64'
import { hasWorkers } from '#platform'
import { WorkersUnavailableError } from '../errors.ts'
import type { FullImplementation, Implementation } from '../implementation.ts'
import type { ImplementationEntry } from './implementation-entry.ts'
import type { StreamDecoder, StreamModule } from '../stream/stream-decoder.ts'
import type { CodecName } from '../codec.ts'

/** Load an implementation, in workers if it and the platform support them, else on this thread. */
export async function loadImplementation (
  codec: CodecName,
  entry: ImplementationEntry,
  workers: boolean
): Promise<Implementation> {
  const [modules, inWorkers] = await Promise.all([
    // compile for workers here too: if a policy forbids it, this fails and the next implementation is tried
    compileModules(entry),
    // at the same time: in a page, each is a request
    workers && hasWorkers() ? entry.worker?.(codec) : undefined
  ])
  let here: Promise<Implementation> | undefined

  const loadHere = async (): Promise<Implementation> => {
    here ??= entry.load().then(({ create }) => create(...modules))

    try {
      return await here
    } catch (err) {
      // the next call tries again
      here = undefined
      throw err
    }
  }

  return inWorkers == null ? loadHere() : withFallback(inWorkers(modules), loadHere)
}

export async function loadStreamDecoder (entry: ImplementationEntry): Promise<StreamDecoder> {
  const modules = await compileModules(entry)
  const { createStream } = await (entry.stream as () => Promise<StreamModule>)()

  return createStream(...modules)
}

async function compileModules (entry: ImplementationEntry): Promise<WebAssembly.Module[]> {
  return Promise.all((await entry.wasm?.())?.modules.map(async base64 => WebAssembly.compile(fromBase64(base64))) ?? [])
}

type Calls = Pick<Implementation, 'compress' | 'decompress'>

/** Runs calls in workers, or on this thread if no worker can be started (a page's policy may forbid them). */
function withFallback (
  inWorkers: FullImplementation,
  loadHere: () => Promise<Implementation>
): FullImplementation {
  type Work = (implementation: Required<Calls>) => Uint8Array | Promise<Uint8Array>

  const run = async (work: Work): Promise<Uint8Array> => {
    try {
      return await work(inWorkers)
    } catch (err) {
      if (err instanceof WorkersUnavailableError) {
        // createCodec never calls a method that the entry lacks
        return work(await loadHere() as Required<Calls>)
      }

      throw err
    }
  }

  return {
    compress: async (bytes, level, options) => run(implementation => implementation.compress(bytes, level, options)),
    decompress: async (frame, size, options) => run(implementation => implementation.decompress(frame, size, options)),
    prepare: inWorkers.prepare
  }
}
