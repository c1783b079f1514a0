import { printable } from '../terminal/output.ts'
import { parseContentPath } from '@ipfsz/node/read'
import { openToRead } from '@ipfsz/node/session'
import type { Context } from '../context.ts'

/** A word that may come next, and what it means. */
export interface Suggestion {
  word: string
  description: string
}

/** Maximum number of pins or entries that are looked at: a shell waits for them. */
const MAX_LISTED = 1000

/** What may stand before a CID. */
const PREFIX = /^(?:ipfs:\/\/|(?:https?:\/\/[^/]+)?\/ipfs\/)/

/** Print words that may come next, for a completion script: one a line, with a tab before what it means. */
export function printWords (words: readonly Suggestion[], current: string, { output }: Context): void {
  for (const { word, description } of words) {
    // a script could not take a word with a control character
    if (word.startsWith(current) && printable(word) === word) {
      output.result({ word, description }, `${word}\t${printable(description)}`)
    }
  }
}

/** Print the pins, or what is in a directory if a CID and a slash were typed. Only from this repo. */
export async function printCids (current: string, context: Context): Promise<void> {
  const directory = current.slice(0, Math.max(0, current.lastIndexOf('/')))

  try {
    printWords(
      /(?:^|\/)b\w+(?:\/|$)/.test(directory)
        ? await listEntries(directory, context)
        : await listPins(PREFIX.exec(current)?.[0] ?? '', context),
      current,
      context
    )
  } catch {
    // nothing to suggest: a message would be in the way of what is being typed
  }
}

async function listPins (prefix: string, context: Context): Promise<Suggestion[]> {
  const { pins } = await openToRead(context)
  const words: Suggestion[] = []

  for await (const { cid, name = '' } of pins.ls(context.signal, () => {})) {
    if (words.push({ word: `${prefix}${cid}`, description: name }) === MAX_LISTED) {
      break
    }
  }

  return words
}

async function listEntries (directory: string, context: Context): Promise<Suggestion[]> {
  const { files } = await openToRead(context)
  const target = parseContentPath(directory)
  const words: Suggestion[] = []

  if ('name' in target) {
    return words
  }

  const { cid, path } = target

  if ((await files.stat(cid, { path, offline: true, signal: context.signal })).type !== 'directory') {
    return words
  }

  for await (const { name, type } of files.ls(cid, { path, offline: true, signal: context.signal })) {
    const word = `${directory}/${name}${type === 'directory' ? '/' : ''}`

    if (words.push({ word, description: '' }) === MAX_LISTED) {
      break
    }
  }

  return words
}
