import { StringsModule } from '@ipfsz/codecs/strings'
import { isCompressedType } from '../policy/detector.ts'
import { trainDictionaries } from './train.ts'
import { TreeDictionary } from './tree-dictionary.ts'
import type { PutStore } from '../dag/block.ts'
import type { SmallFile } from './kinds.ts'
import type { Coder } from './train.ts'

/** Makes the dictionaries of one window of files after the other, and stores them. */
export class DictionaryTrainer {
  readonly #coder: Coder
  readonly #blockstore: PutStore
  /** Keeps its memory for the next window. */
  #strings: Promise<StringsModule | undefined> | undefined

  constructor (coder: Coder, blockstore: PutStore) {
    this.#coder = coder
    this.#blockstore = blockstore
  }

  /** The dictionary of each file. Undefined if it gets none. Where there is no WebAssembly, none has one. */
  async train (files: readonly SmallFile[]): Promise<Array<TreeDictionary | undefined>> {
    const strings = await (this.#strings ??= StringsModule.load())
    const dictionaries = new Map<SmallFile, TreeDictionary>()
    const compressible: SmallFile[] = []

    for (const file of files) {
      const isCompressed = isCompressedType(file.bytes)

      // no promise for text
      if (isCompressed === false || !await isCompressed) {
        compressible.push(file)
      }
    }

    for (const trained of strings == null ? [] : await trainDictionaries(compressible, this.#coder, strings)) {
      const dictionary = await TreeDictionary.write(trained, this.#coder, this.#blockstore)
      trained.files.forEach(file => { dictionaries.set(file, dictionary) })
    }

    return files.map(file => dictionaries.get(file))
  }
}
