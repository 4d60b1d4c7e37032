/// Upper quantiles, from 1/2 to 1 in equal steps, of how a window's log rate differs from what was usual in its launch and block.
///
/// Two copies of the same Go program, POST of a coin, 64 connections, 691 windows each of 50 ms in random blocks, 12
/// launches on a shared virtual machine with two CPUs: differences of the two in a block less their median in the
/// launch, over sqrt(2). The lower quantiles are taken to be these with the other sign.
const UPPER: [f64; 33] = [
    0.0, 0.0014, 0.0041, 0.0069, 0.0094, 0.0126, 0.0161, 0.0189, 0.0227, 0.0253, 0.0289, 0.0337, 0.0383,
    0.0426, 0.0469, 0.0534, 0.0595, 0.0688, 0.0753, 0.0845, 0.0981, 0.1102, 0.1302, 0.1426, 0.1629, 0.1898,
    0.2203, 0.2557, 0.3078, 0.3964, 0.4575, 0.7155, 1.968,
];

/// What a window of a shared machine adds, for a number between 0 and 1.
pub(crate) fn shared(unit: f64) -> f64 {
    let place = 2.0 * (unit - 0.5).abs() * (UPPER.len() - 1) as f64;
    let below = (place as usize).min(UPPER.len() - 2);
    let magnitude = UPPER[below] + (place - below as f64) * (UPPER[below + 1] - UPPER[below]);
    magnitude.copysign(unit - 0.5)
}
