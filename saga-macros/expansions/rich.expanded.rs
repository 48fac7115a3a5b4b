/// Takes the money.
#[allow(non_camel_case_types, missing_docs, unreachable_pub)]
pub(crate) enum pay {}
impl ::saga_core::Step for pay {
    const CONTRACT: ::saga_core::contract::StepContract = ::saga_core::contract::StepContract {
        inputs: &["card", "lines", "slot", "total"],
        verification: ::core::option::Option::Some(::saga_core::contract::Verification {
            settle: ::core::time::Duration::from_micros(10000000u64),
            retry: ::saga_core::contract::DEFAULT_CHECKS,
        }),
        retry: ::saga_core::contract::Retry {
            times: 5u32,
            base: ::core::time::Duration::from_micros(200000u64),
            factor: 2f64,
            cap: ::core::time::Duration::from_micros(30000000u64),
            jitter: false,
            ..::saga_core::contract::Retry::DEFAULT
        },
        undo_retry: ::saga_core::contract::Retry {
            times: 8u32,
            ..::saga_core::contract::Retry::DEFAULT_UNDO
        },
        timeout: ::core::time::Duration::from_micros(5000000u64),
        within: ::core::option::Option::Some(
            ::core::time::Duration::from_micros(120000000u64),
        ),
        requires: &[
            ::saga_core::definition::required({
                #[allow(unused_imports)]
                use ::saga_core::fallback::*;
                {
                    #[allow(unused_imports)]
                    use inventory::reserve as __s0;
                    <__s0 as ::saga_core::Site>::NODE
                }
            }),
        ],
        redacted: &["card"],
        owner: ::core::option::Option::Some("payments"),
        ..::saga_core::contract::StepContract::plain(
            "pay",
            ::core::module_path!(),
            ::saga_core::contract::Reversibility::Compensable {
                needs: ::saga_core::contract::Needs::Output,
            },
            ::saga_core::contract::Idempotency::ByKey,
        )
    };
    type Env = Bank;
    type Lent = (::std::string::String, ::std::vec::Vec<Line>);
    type Given = (Done<reserve>, u64);
    type Output = Payment;
    type Error = BankError;
    fn read(
        reader: &::saga_core::InputReader<'_>,
    ) -> ::core::result::Result<(Self::Lent, Self::Given), ::saga_core::DecodeError> {
        ::core::result::Result::Ok((
            (
                match reader.value("card") {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        return ::core::result::Result::Err(error);
                    }
                },
                match reader.items("lines", &::saga_core::journaled::<Line>()) {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        return ::core::result::Result::Err(error);
                    }
                },
            ),
            (
                match reader.done("slot") {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        return ::core::result::Result::Err(error);
                    }
                },
                match reader.input("total", &::saga_core::journaled::<u64>()) {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        return ::core::result::Result::Err(error);
                    }
                },
            ),
        ))
    }
    fn run<'a>(
        cx: &'a ::saga_core::StepCx<Bank>,
        lent: &'a Self::Lent,
        given: Self::Given,
    ) -> ::saga_core::StepFuture<'a, Payment, BankError> {
        #[tracing::instrument]
        async fn pay(
            cx: &StepCx<Bank>,
            card: &str,
            lines: &[Line],
            slot: Done<reserve>,
            total: u64,
        ) -> Result<Payment, BankError> {
            cx.env().pay(cx.key(), card, lines, total).await
        }
        ::std::boxed::Box::pin(pay(cx, &lent.0, &lent.1, given.0, given.1))
    }
    fn undo<'a>(
        cx: &'a ::saga_core::StepCx<Bank>,
        lent: &'a Self::Lent,
        given: Self::Given,
        made: ::core::option::Option<&'a Payment>,
    ) -> ::core::option::Option<
        ::saga_core::StepFuture<'a, (), ::saga_core::FailureReport>,
    > {
        let made = made?;
        ::core::option::Option::Some(
            ::saga_core::reported::<
                (),
                _,
            >(refund(cx, &lent.0, &lent.1, given.0, given.1, made)),
        )
    }
    fn check<'a>(
        cx: &'a ::saga_core::StepCx<Bank>,
        lent: &'a Self::Lent,
        given: Self::Given,
    ) -> ::core::option::Option<
        ::saga_core::StepFuture<
            'a,
            ::saga_core::Found<Payment>,
            ::saga_core::FailureReport,
        >,
    > {
        ::core::option::Option::Some(
            ::saga_core::reported::<
                ::saga_core::Found<Payment>,
                _,
            >(find_payment(cx, &lent.0, &lent.1, given.0, given.1)),
        )
    }
}
const _: () = ::saga_core::definition::can_be_required(
    {
        #[allow(unused_imports)]
        use ::saga_core::fallback::*;
        {
            #[allow(unused_imports)]
            use inventory::reserve as __s0;
            <__s0 as ::saga_core::Site>::NODE
        }
    },
    "inventory::reserve",
);
/// Takes the money.
#[allow(clippy::too_many_arguments)]
pub(crate) fn pay<'saga>(
    saga: &'saga mut ::saga_core::Saga,
    card: &str,
    lines: &[Line],
    slot: Done<reserve>,
    total: u64,
) -> ::saga_core::Call<'saga, pay> {
    #[allow(unused_mut)]
    let mut inputs = ::saga_core::InputWriter::of(saga);
    inputs.value("card", card);
    inputs.items("lines", &::saga_core::journaled::<Line>(), lines);
    inputs.consumes("slot", &slot);
    inputs.input("total", &::saga_core::journaled::<u64>(), &total);
    ::saga_core::Call::new(saga, inputs)
}
/// Sells one order.
#[allow(non_camel_case_types, missing_docs, unreachable_pub)]
pub enum order {}
/// Sells one order.
#[allow(clippy::too_many_arguments)]
pub fn order(order: Order, rush: bool) -> ::saga_core::Start<order> {
    #[allow(unused_mut)]
    let mut inputs = ::saga_core::InputWriter::of_a_start();
    inputs.input("order", &::saga_core::journaled::<Order>(), &order);
    inputs.input("rush", &::saga_core::journaled::<bool>(), &rush);
    ::saga_core::Start::new(inputs)
}
const _: () = {
    #[allow(unused_imports)]
    use ::saga_core::fallback::*;
    {
        impl ::saga_core::SagaType for order {
            const DEFINITION: ::saga_core::definition::Definition = ::saga_core::definition::Definition {
                name: "order",
                version: 3u32,
                owner: "sales",
                deadline: ::core::option::Option::Some(
                    ::core::time::Duration::from_micros(604800000000u64),
                ),
                nodes: &[
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Start,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 1u16,
                                on: ::saga_core::definition::On::Any,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s0 as ::saga_core::Site>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 2u16,
                                on: ::saga_core::definition::On::Refused,
                                label: "",
                            },
                            ::saga_core::definition::Edge {
                                to: 3u16,
                                on: ::saga_core::definition::On::Done,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Return(
                            ::saga_core::definition::Returned::Err,
                        ),
                        next: &[],
                    },
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Branch(
                            "for line in &order.lines",
                        ),
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 4u16,
                                on: ::saga_core::definition::On::Any,
                                label: "",
                            },
                            ::saga_core::definition::Edge {
                                to: 6u16,
                                on: ::saga_core::definition::On::Any,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Branch(
                            "rush && line.rare",
                        ),
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 5u16,
                                on: ::saga_core::definition::On::Any,
                                label: "else",
                            },
                            ::saga_core::definition::Edge {
                                to: 6u16,
                                on: ::saga_core::definition::On::Any,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s1 as ::saga_core::Site>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 2u16,
                                on: ::saga_core::definition::On::Refused,
                                label: "",
                            },
                            ::saga_core::definition::Edge {
                                to: 3u16,
                                on: ::saga_core::definition::On::Done,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s2 as ::saga_core::Site>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 2u16,
                                on: ::saga_core::definition::On::Refused,
                                label: "Err(refused)",
                            },
                            ::saga_core::definition::Edge {
                                to: 7u16,
                                on: ::saga_core::definition::On::Done,
                                label: "Ok(payment)",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s3<Decision>>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 8u16,
                                on: ::saga_core::definition::On::Any,
                                label: "Some(Decision::Cancel) | None",
                            },
                            ::saga_core::definition::Edge {
                                to: 9u16,
                                on: ::saga_core::definition::On::Any,
                                label: "Some(Decision::Ship)",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Return(
                            ::saga_core::definition::Returned::Err,
                        ),
                        next: &[],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s4 as ::saga_core::Site>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 2u16,
                                on: ::saga_core::definition::On::Refused,
                                label: "else",
                            },
                            ::saga_core::definition::Edge {
                                to: 10u16,
                                on: ::saga_core::definition::On::Done,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: <__s5 as ::saga_core::Site>::NODE,
                        next: &[
                            ::saga_core::definition::Edge {
                                to: 11u16,
                                on: ::saga_core::definition::On::Done,
                                label: "",
                            },
                            ::saga_core::definition::Edge {
                                to: 2u16,
                                on: ::saga_core::definition::On::Refused,
                                label: "",
                            },
                        ],
                    },
                    ::saga_core::definition::Node {
                        kind: ::saga_core::definition::NodeKind::Return(
                            ::saga_core::definition::Returned::Ok,
                        ),
                        next: &[],
                    },
                ],
            };
            type Inputs = (Order, bool);
            type Output = Receipt;
            type Error = Refusal;
            fn read(
                reader: &::saga_core::InputReader<'_>,
            ) -> ::core::result::Result<Self::Inputs, ::saga_core::DecodeError> {
                ::core::result::Result::Ok((
                    match reader.input("order", &::saga_core::journaled::<Order>()) {
                        ::core::result::Result::Ok(value) => value,
                        ::core::result::Result::Err(error) => {
                            return ::core::result::Result::Err(error);
                        }
                    },
                    match reader.input("rush", &::saga_core::journaled::<bool>()) {
                        ::core::result::Result::Ok(value) => value,
                        ::core::result::Result::Err(error) => {
                            return ::core::result::Result::Err(error);
                        }
                    },
                ))
            }
            fn body(
                saga: &mut ::saga_core::Saga,
                inputs: Self::Inputs,
            ) -> ::saga_core::BodyFuture<'_, Receipt, Refusal> {
                async fn order(
                    cx: &mut Saga,
                    order: Order,
                    rush: bool,
                ) -> Result<Receipt, Refusal> {
                    let slot = reserve(cx, &order).await?;
                    for line in &order.lines {
                        if rush && line.rare {
                            break;
                        }
                        check_stock(cx, line).await?;
                    }
                    let payment = match pay(
                            cx,
                            &order.card,
                            &order.lines,
                            slot,
                            order.total,
                        )
                        .await
                    {
                        Ok(payment) => payment,
                        Err(refused) => return Err(refused.into()),
                    };
                    match signal::<Decision>(cx).within(days(3)).await {
                        Some(Decision::Ship) => {}
                        Some(Decision::Cancel) | None => return Err(Refusal::Expired),
                    }
                    let Ok(parcel) = shipping::ship(cx, &payment).await else {
                        return Err(Refusal::NoCarrier);
                    };
                    notify(cx)
                        .await
                        .map(|_| Receipt::new(parcel.into_inner()))
                        .map_err(Refusal::from)
                }
                ::std::boxed::Box::pin(order(saga, inputs.0, inputs.1))
            }
        }
        impl<P> ::saga_core::RunsOn<P> for order
        where
            __s0: ::saga_core::SiteOn<P>,
            __s1: ::saga_core::SiteOn<P>,
            __s2: ::saga_core::SiteOn<P>,
            __s4: ::saga_core::SiteOn<P>,
            __s5: ::saga_core::SiteOn<P>,
        {
            fn register(table: &mut ::saga_core::StepTable<P>) {
                <__s0 as ::saga_core::SiteOn<P>>::register(table);
                <__s1 as ::saga_core::SiteOn<P>>::register(table);
                <__s2 as ::saga_core::SiteOn<P>>::register(table);
                <__s4 as ::saga_core::SiteOn<P>>::register(table);
                <__s5 as ::saga_core::SiteOn<P>>::register(table);
            }
        }
        impl ::saga_core::Site for order {
            const NODE: ::saga_core::definition::NodeKind = ::saga_core::definition::NodeKind::NotJournaled(
                "order",
            );
        }
        impl<P> ::saga_core::SiteOn<P> for order {
            fn register(_: &mut ::saga_core::StepTable<P>) {}
        }
        impl ::saga_core::Awaits<Decision> for order {}
        #[allow(unused_macros)]
        macro_rules! reserve {
            () => {};
        }
        #[allow(unused_imports)]
        use reserve as __s0;
        #[allow(unused_macros)]
        macro_rules! check_stock {
            () => {};
        }
        #[allow(unused_imports)]
        use check_stock as __s1;
        #[allow(unused_macros)]
        macro_rules! pay {
            () => {};
        }
        #[allow(unused_imports)]
        use pay as __s2;
        #[allow(unused_macros)]
        macro_rules! signal {
            () => {};
        }
        #[allow(unused_imports)]
        use signal as __s3;
        #[allow(unused_imports)]
        use shipping::ship as __s4;
        #[allow(unused_macros)]
        macro_rules! notify {
            () => {};
        }
        #[allow(unused_imports)]
        use notify as __s5;
        #[allow(unreachable_patterns, unused_variables)]
        const __MACHINE: &::saga_core::definition::Checked = &::saga_core::definition::Checked::of(
            &<order as ::saga_core::SagaType>::DEFINITION,
            &[
                match 1u8 {
                    __s0 => true,
                    _ => false,
                },
                match 1u8 {
                    __s1 => true,
                    _ => false,
                },
                match 1u8 {
                    __s2 => true,
                    _ => false,
                },
                match 1u8 {
                    __s3 => true,
                    _ => false,
                },
                match 1u8 {
                    __s5 => true,
                    _ => false,
                },
            ],
        );
        const _: () = __MACHINE.at(1usize, "reserve");
        const _: () = __MACHINE.at(5usize, "check_stock");
        const _: () = __MACHINE.at(6usize, "pay");
        const _: () = __MACHINE.at(7usize, "signal::<Decision>");
        const _: () = __MACHINE.at(8usize, "returnErr(Refusal::Expired)");
        const _: () = __MACHINE.at(9usize, "shipping::ship");
        const _: () = __MACHINE.at(10usize, "notify");
    }
};
