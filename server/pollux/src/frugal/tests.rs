/// Calls the function by its name, as tokio does; the compiler cannot compute these in advance.
#[test]
fn powers_are_those_of_the_standard_library() {
    use std::hint::black_box;
    let cases = [
        (0.9_f64, 1.0, 0.9),
        (0.9, 2.0, 0.81),
        (2.0, 10.0, 1024.0),
        (2.0, -1.0, 0.5),
        (9.0, 0.5, 3.0),
        (7.0, 0.0, 1.0),
        (0.0, 3.0, 0.0),
    ];
    for (base, exponent, expected) in cases {
        let found = black_box(base).powf(black_box(exponent));
        assert!(
            (found - expected).abs() < 1e-12,
            "{base}^{exponent}: {found}"
        );
    }
    assert!(black_box(-8.0_f64).powf(black_box(0.5)).is_nan());
    assert!(black_box(10.0_f64).powf(black_box(400.0)).is_infinite());
}
