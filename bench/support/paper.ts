/** Figures of "IPFSz: An Efficient Data Compression Scheme in InterPlanetary File System" (IEEE Access, 2022). */

export interface DataSet {
  dataset: string
  /** The file of the corpus that is compared with it. */
  ours: string
  /** How similar that file is. */
  likeness: string
  /** Stored / original, by codec. */
  ratios: Record<'gzip' | 'lz4' | 'lzo' | 'snappy' | 'zstd', number>
}

/** Table 4: the data sets with a counterpart in the corpus. */
export const TABLE_4: readonly DataSet[] = [
  {
    dataset: 'Netflix titles, csv, 3 MB',
    ours: 'paper/netflix_titles.csv',
    likeness: 'the same list, with other column names',
    ratios: { gzip: 0.44, lz4: 0.64, lzo: 0.66, snappy: 0.71, zstd: 0.48 }
  },
  {
    dataset: 'DS4C Korea, csv, 52 MB',
    ours: 'paper/ds4c_SeoulFloating.csv',
    likeness: 'one of its files',
    ratios: { gzip: 0.13, lz4: 0.24, lzo: 0.26, snappy: 0.26, zstd: 0.16 }
  },
  {
    dataset: 'Bitcoin history, csv, 318 MB',
    ours: 'paper/Bitstamp_BTCUSD_1h.csv',
    likeness: 'the same market by the hour, not the minute',
    ratios: { gzip: 0.3, lz4: 0.54, lzo: 0.51, snappy: 0.52, zstd: 0.31 }
  },
  {
    dataset: 'The Movies, csv, 944 MB',
    ours: 'paper/movielens_movies.csv',
    likeness: 'another list of films',
    ratios: { gzip: 0.24, lz4: 0.4, lzo: 0.4, snappy: 0.41, zstd: 0.27 }
  },
  {
    dataset: 'arXiv metadata, json, 3.16 GB',
    ours: 'paper/ChinookData.json',
    likeness: 'other JSON',
    ratios: { gzip: 0.33, lz4: 0.46, lzo: 0.68, snappy: 0.52, zstd: 0.35 }
  },
  {
    dataset: 'Ethereum NFTs, sqlite, 6.92 GB',
    ours: 'paper/Chinook_Sqlite.sqlite',
    likeness: 'another SQLite database',
    ratios: { gzip: 0.27, lz4: 0.43, lzo: 0.85, snappy: 0.48, zstd: 0.25 }
  }
]

/** Figure 7: the speed of adding if files that are compressed already are not compressed again. */
export const BYPASS = '1.06 to 1.18 times as fast as compressing anyway, and as fast as storing plain'

/** Figure 8: the mapping table, in milliseconds for 1000 entries. */
export const LINKS = { update: 650, recovery: 5, partOfUpload: '2 to 4 %' }
