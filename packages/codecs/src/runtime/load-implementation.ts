import { hasWorkers } from '#platform'
import { WorkersUnavailableError } from '../errors.ts'
import { fromBase64 } from './base64.ts'
import { runInWorkers } from '../workers/run.ts'
import type { Implementation, ImplementationEntry, StreamDecoder, StreamModule } from '../implementation.ts'
import type { CodecName } from '../codec.ts'

/** Load an implementation: in workers where it has a program for them and there are any, or here. */
export async function loadImplementation (codec: CodecName, entry: ImplementationEntry, workers: boolean): Promise<Implementation> {
  // here also for workers: where a policy forbids it this fails, and the next implementation is tried
  const modules = await compileModules(entry)
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

  if (!workers || entry.worker == null || !hasWorkers()) {
    return loadHere()
  }

  const { source } = await entry.worker()

  return withFallback(runInWorkers({ codec, source, modules }), loadHere)
}

/** Load what reads streams, of an entry that has it. */
export async function loadStreamDecoder (entry: ImplementationEntry): Promise<StreamDecoder> {
  const modules = await compileModules(entry)
  const { createStream } = await (entry.stream as () => Promise<StreamModule>)()

  return createStream(...modules)
}

async function compileModules (entry: ImplementationEntry): Promise<WebAssembly.Module[]> {
  return Promise.all((await entry.wasm?.())?.modules.map(async base64 => WebAssembly.compile(fromBase64(base64))) ?? [])
}

/** Use workers until it turns out that none can be started (a page's policy may forbid it). */
function withFallback (inWorkers: Required<Implementation>, loadHere: () => Promise<Implementation>): Required<Implementation> {
  const run = async (work: (implementation: Required<Implementation>) => Uint8Array | Promise<Uint8Array>): Promise<Uint8Array> => {
    try {
      return await work(inWorkers)
    } catch (err) {
      if (err instanceof WorkersUnavailableError) {
        // nothing is asked of an entry that it is not there for
        return work(await loadHere() as Required<Implementation>)
      }

      throw err
    }
  }

  return {
    compress: async (bytes, level, options) => run(implementation => implementation.compress(bytes, level, options)),
    decompress: async (frame, size, options) => run(implementation => implementation.decompress(frame, size, options))
  }
}
