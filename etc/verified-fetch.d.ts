// @ipfsz/verified-fetch: checkPaths, ipfszPlugin

function checkPaths(fetch: VerifiedFetch): VerifiedFetch;
//# sourceMappingURL=check-paths.d.ts.map

function ipfszPlugin(init?: IpfszInit): VerifiedFetchPluginFactory;
//# sourceMappingURL=plugin.d.ts.map
