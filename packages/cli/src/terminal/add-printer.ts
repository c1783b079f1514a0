// Room: what the user sees: columns, units, progress. Lines of lists are in `row.ts`, tables in `table.ts`.
import { addNotes, addSummary } from './add-summary.ts'
import { printable } from './output.ts'
import { sizeCell } from './row.ts'
import type { Output } from './output.ts'
import type { PrintedAdd, PrintedRoot } from './printed-add.ts'

/** What `ipfsz add` is asked to print. */
export interface AddPrinterInit {
  quiet?: boolean
  /** Print only the CIDs of roots. */
  quieter?: boolean
}

/** Prints what was added: a summary of each root for people, and stable columns or JSON for scripts. */
export class AddPrinter {
  /** Whether the files in directories are printed too. */
  readonly printsEntries: boolean
  readonly #output: Output
  readonly #onlyCids: boolean
  readonly #summarizes: boolean
  #summaries = 0

  constructor ({ quiet = false, quieter = false }: AddPrinterInit, output: Output) {
    this.#output = output
    this.#onlyCids = quiet || quieter
    this.#summarizes = !this.#onlyCids && !output.json && output.stdout.isTTY === true
    this.printsEntries = !quieter && !this.#summarizes
  }

  /** Print a line for a file or directory. */
  entry (printed: PrintedAdd): void {
    const { cid, plainCid, name, size, storedSize, ratio, codec, readableWith, content, type, url } = printed
    const { newSize, known } = printed
    this.#output.result(
      { cid, plainCid, name, size, storedSize, ratio, codec, readableWith, content, type, url, newSize, known },
      this.#onlyCids
        ? cid
        : this.#output.tabbed([cid, printable(name), sizeCell(size), sizeCell(storedSize), ratio.toFixed(3)])
    )
  }

  /** Print what was added for one path. */
  root (root: PrintedRoot): void {
    const output = this.#output

    if (this.#summarizes) {
      const gap = this.#summaries++ === 0 ? '' : '\n'
      output.stdout.write(`${gap}${addSummary(root, output.stdout.columns)}\n`)
      return
    }

    // on stderr, or scripts would take the notes and the URL for more files
    for (const note of addNotes(this.#onlyCids ? { ...root, executables: 0 } : root)) {
      output.note(root.name === '' ? note : `${printable(root.name)}: ${note}`)
    }

    this.entry(root)

    if (root.url != null && !this.#onlyCids && !output.json) {
      output.note(root.url)
    }
  }
}
