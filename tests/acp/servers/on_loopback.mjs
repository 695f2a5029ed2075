// Loaded before a server that listens wherever it likes: it listens on a free port of this machine alone, and says on its
// standard output which one, and what it is asked with.
import net from "node:net";

const tell = (what) => console.log(JSON.stringify(what));
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function () {
  this.once("listening", () => tell({ port: this.address().port }));
  this.on("request", ({ method, url, headers }) => tell({ method, url, headers }));
  return listen.call(this, 0, "127.0.0.1");
};
