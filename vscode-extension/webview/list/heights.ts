// The heights of all rows, with sums in logarithmic time (a Fenwick tree): which row stands at a place, and where
// a row begins, in a list of any length.
export class Heights {
  private readonly heights: number[] = [];
  /** One-based; node `n` holds the sum of the `n & -n` heights that end with the n-th. */
  private readonly sums: number[] = [0];

  get length(): number {
    return this.heights.length;
  }

  get total(): number {
    return this.before(this.length);
  }

  at(place: number): number {
    return this.heights[place] ?? 0;
  }

  push(height: number): void {
    this.heights.push(height);
    const node = this.length;
    let sum = height;
    for (let part = 1; part < (node & -node); part <<= 1) sum += this.sums[node - part] ?? 0;
    this.sums.push(sum);
  }

  truncate(length: number): void {
    this.heights.length = length;
    this.sums.length = length + 1;
  }

  set(place: number, height: number): void {
    const change = height - this.at(place);
    if (change === 0) return;
    this.heights[place] = height;
    for (let node = place + 1; node < this.sums.length; node += node & -node) this.sums[node] = (this.sums[node] ?? 0) + change;
  }

  /** Where a row begins. */
  before(place: number): number {
    let sum = 0;
    for (let node = place; node > 0; node -= node & -node) sum += this.sums[node] ?? 0;
    return sum;
  }

  /** The row that covers this place, or the nearest one. */
  find(offset: number): number {
    let node = 0;
    let rest = offset;
    let step = 1;
    while (step * 2 <= this.length) step *= 2;
    for (; step > 0; step >>= 1) {
      const sum = this.sums[node + step];
      if (sum === undefined || sum > rest) continue;
      node += step;
      rest -= sum;
    }
    return Math.max(0, Math.min(node, this.length - 1));
  }
}
