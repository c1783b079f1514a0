import { zlibConstants } from '#platform'
import { distinctShare } from './distinct-share.ts'

/** The smallest window that libzstd takes, as a logarithm. */
const MIN_WINDOW_LOG = 10
/** Larger tables hold a sixteenth of all positions, not a quarter: else filling them takes longer than the rest. */
const FULL_HASH_LOG = 20
/**
 * From this level on, libzstd keeps positions in rows of the hash table, and replaces the oldest in a row. So the table
 * needs room for two thirds of the dictionary, or its beginning is forgotten. There are no chains.
 */
export const FIRST_ROW_LEVEL = 5
const ROW_SHARE = 2 / 3
/** Up to this level, rows are short: those that are full forget little, since what is left finds the rest. */
const LAST_SMALL_ROW_LEVEL = 8
/**
 * There, room for less than half is enough for what repeats itself, since equal sequences share a row: with 544 KiB of
 * a program, a table of half the size costs 5 % more bytes and takes a fifth less time. What does not shrink would lose
 * its beginning.
 */
const SMALL_ROW_SHARE = 0.45
const MAX_DISTINCT_SHARE = 0.6
/** The largest of its own tables: of 32 MiB. */
const MAX_ROW_LOG = 23
/** Up to this size, 128 KiB, libzstd itself chooses smaller tables. */
const MAX_SMALL_DICTIONARY = 128 * 1024
/** From this level on, libzstd searches a binary tree, which is in the chain table. */
export const FIRST_TREE_LEVEL = 13
/** The larger of hashLog and chainLog, of trees the chainLog, of each level (libzstd 1.5, clevels.h, above 256 KiB). */
const TABLE_LOGS = [14, 16, 17, 18, 19, 19, 20, 20, 21, 22, 22, 23, 22, 22, 23, 22, 23, 23, 24]

/**
 * libzstd chooses its parameters for the content, and so finds little in a dictionary of a megabyte
 * and more at the lower levels: with 4 MiB of one version of a file as the dictionary for 4 MiB of
 * the next one, its own level 3 makes 1,590 kB, and this one 20 kB (docs/codecs.md).
 *
 * @param size - of the content
 */
export function dictionaryParams (level: number, size: number, dictionary: Uint8Array): Record<number, number> {
  const params = {
    // tells whether the dictionary is the right one
    [zlibConstants.ZSTD_c_checksumFlag]: 1,
    // the dictionary can be used up to the end of the window (RFC 8878, section 5)
    [zlibConstants.ZSTD_c_windowLog]: Math.max(MIN_WINDOW_LOG, Math.ceil(Math.log2(size)))
  }
  const hasTree = level >= FIRST_TREE_LEVEL

  // smaller tables than libzstd's own are filled in two thirds of the time: they are in the processor's cache
  const isSmaller = isRowLevel(level) && level <= LAST_SMALL_ROW_LEVEL && dictionary.byteLength > MAX_SMALL_DICTIONARY
  const share = isSmaller && distinctShare(dictionary) <= MAX_DISTINCT_SHARE ? SMALL_ROW_SHARE : ROW_SHARE
  const log = tableLog(level, size, dictionary.byteLength, share)

  if (log <= TABLE_LOGS[level - 1] && !isSmaller) {
    return params
  }

  return {
    ...params,
    ...hasTree ? {} : { [zlibConstants.ZSTD_c_hashLog]: log },
    [zlibConstants.ZSTD_c_chainLog]: log
  }
}

/** Whether libzstd searches rows of a hash table at a level. */
export function isRowLevel (level: number): boolean {
  return level >= FIRST_ROW_LEVEL && level < FIRST_TREE_LEVEL
}

/**
 * Measured: larger tables take longer and find hardly more.
 *
 * @param rowShare - the share of the positions that a table of rows has room for
 */
function tableLog (level: number, size: number, dictionary: number, rowShare: number): number {
  const positions = Math.ceil(Math.log2(size + dictionary))

  if (level >= FIRST_TREE_LEVEL) {
    return positions - 1
  }

  return isRowLevel(level)
    ? Math.min(MAX_ROW_LOG, Math.ceil(Math.log2(rowShare * Math.max(dictionary, size))))
    : Math.max(Math.min(positions - 2, FULL_HASH_LOG), positions - 4)
}
