// @ipfsz/site: MadeSite, MissingNeeds, PublishSiteOptions, PublishedSite, publishSite

interface MadeSite {
    cid: CID;
    pages: number;
    kept: number;
    missing: MissingNeeds | undefined;
    loaderSize: number;
    workerSize: number;
    gzip: {
        scripts: number;
        plain: number;
    };
}

interface MissingNeeds {
    page: string;
    pages: number;
    patterns: string[];
}

interface PublishSiteOptions extends NodeProgressOptions {
    keep?: readonly string[] | undefined;
    ignore?: readonly string[] | undefined;
    hidden?: boolean | undefined;
    level?: number | undefined;
    optimize?: 'ranges' | undefined;
    dictionaries?: boolean | undefined;
    base?: CID | {
        cid: CID;
        path: string;
    } | string | undefined;
    network?: RepoNetwork | undefined;
    car?: string | undefined;
    force?: boolean | undefined;
    name?: string | undefined;
    signal?: AbortSignal | undefined;
}

interface PublishedSite extends MadeSite {
    tree: CID;
    files: number;
    size: number;
    storedSize: number;
    fetchSize: number;
    newSize: number;
    carSize: number | undefined;
    hidden: number;
    changed: ChangedFiles;
    url: string | undefined;
}
//# sourceMappingURL=contract.d.ts.map

function publishSite(repo: {
    path: string;
} | string, directory: string, options?: PublishSiteOptions): Promise<PublishedSite>;
//# sourceMappingURL=publish-site.d.ts.map
