import dns from 'node:dns';

/**
 * Preloaded with `--import`: names below `localhost` lead to this machine, as RFC 6761 wants it and as
 * browsers do it, but not the resolvers that Node asks everywhere. For programs that know nothing of it.
 */
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(/\.localhost$/.test(name) ? '127.0.0.1' : name, ...rest);
