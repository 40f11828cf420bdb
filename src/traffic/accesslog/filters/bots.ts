/**
 * User agents that are no visitors: crawlers, link previews, uptime monitors and scripts that name
 * themselves. Words, not a list of products: those change, and nearly all say what they are.
 */
export const BOT: RegExp = new RegExp(
  [
    "bot\\b|bot[/;_ -]|robot|crawl|spider|slurp|scrap(?:e|y)|archiver|indexer|fetcher|validator",
    "facebookexternalhit|bingpreview|mediapartners|adsbot|feedfetcher|feedburner|feedly|embedly",
    "pingdom|uptime|statuscake|site24x7|newrelicpinger|datadog|monitor|healthcheck|health check",
    "elb-healthchecker|kube-probe|googlehc|zgrab|masscan|nmap|nikto|sqlmap|headlesschrome|phantomjs",
    "^(?:curl|wget|python-requests|python-urllib|go-http-client|libwww-perl|java|ruby)\\b",
  ].join("|"),
  "i",
);
