/// What a session costs so far, by the prices of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Of the turn that runs, or ran last.
    pub turn: f64,
    /// Of all turns, those of earlier days included. What was paid in another currency is not in it.
    pub session: f64,
    /// Such as `USD`.
    pub currency: String,
}
