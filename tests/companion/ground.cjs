// Says what ground a program of Node runs on, before it looks: in a container or in none, wherever the test runs. In a
// container the name of the machine outside leads to this one, as it does where containers have such a name.
const dns = require("node:dns");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const isContainer = process.env["POLLUX_TEST_GROUND"] === "container";
const marks = ["/.dockerenv", "/run/.containerenv"];
const { existsSync } = fs;
fs.existsSync = (path) => (marks.includes(path) ? isContainer : existsSync(path));

const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name === "host.docker.internal" ? "127.0.0.1" : name, ...rest);
syncBuiltinESMExports();
