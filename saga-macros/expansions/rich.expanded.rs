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
    type Output = Payment;
    type Error = BankError;
    fn act<'a>(
        __reader: &'a ::saga_core::InputReader<'a>,
        __act: ::saga_core::Act<'a, Self>,
    ) -> ::core::result::Result<::saga_core::Acting<'a>, ::saga_core::DecodeError> {
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
        let __input0 = match __reader.lent_text("card") {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return ::core::result::Result::Err(error);
            }
        };
        let __input1 = match __reader
            .lent_items("lines", &::saga_core::journaled::<Line>())
        {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return ::core::result::Result::Err(error);
            }
        };
        let __input2 = match __reader.done("slot") {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return ::core::result::Result::Err(error);
            }
        };
        let __input3 = match __reader.input("total", &::saga_core::journaled::<u64>()) {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => {
                return ::core::result::Result::Err(error);
            }
        };
        ::core::result::Result::Ok(
            match __act {
                ::saga_core::Act::Run(__cx) => {
                    ::saga_core::ran::<
                        Self,
                    >(pay(__cx, __input0, __input1, __input2, __input3))
                }
                ::saga_core::Act::Undo(__cx, ::core::option::Option::Some(__made)) => {
                    ::saga_core::undone(
                        refund(__cx, __input0, __input1, __input2, __input3, __made),
                    )
                }
                ::saga_core::Act::Check(__cx) => {
                    ::saga_core::checked::<
                        Self,
                        _,
                    >(find_payment(__cx, __input0, __input1, __input2, __input3))
                }
                _ => ::core::option::Option::None,
            },
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
    __saga: &'saga mut ::saga_core::Saga,
    card: &str,
    lines: &[Line],
    slot: Done<reserve>,
    total: u64,
) -> ::saga_core::Call<'saga, pay> {
    #[allow(unused_mut)]
    let mut __inputs = ::saga_core::InputWriter::of(__saga);
    __inputs.value("card", card);
    __inputs.items("lines", &::saga_core::journaled::<Line>(), lines);
    __inputs.consumes("slot", &slot);
    __inputs.input("total", &::saga_core::journaled::<u64>(), &total);
    ::saga_core::Call::new(__saga, __inputs)
}
/// Sells one order.
#[allow(non_camel_case_types, missing_docs, unreachable_pub)]
pub enum order {}
/// Sells one order.
#[allow(clippy::too_many_arguments)]
pub fn order(order: Order, rush: bool) -> ::saga_core::Start<order> {
    #[allow(unused_mut)]
    let mut __inputs = ::saga_core::InputWriter::of_a_start();
    __inputs.input("order", &::saga_core::journaled::<Order>(), &order);
    __inputs.input("rush", &::saga_core::journaled::<bool>(), &rush);
    ::saga_core::Start::new(__inputs)
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
                nodes: &::saga_core::definition::outline::nodes::<
                    12,
                >(
                    "^1s2e0b2b2s2s2s2e0s2s2o0",
                    &[
                        <__s0 as ::saga_core::Site>::NODE,
                        <__s1 as ::saga_core::Site>::NODE,
                        <__s2 as ::saga_core::Site>::NODE,
                        <__s3<Decision>>::NODE,
                        <__s4 as ::saga_core::Site>::NODE,
                        <__s5 as ::saga_core::Site>::NODE,
                    ],
                    "for line in &order.lines\nrush && line.rare",
                ),
                edges: &::saga_core::definition::outline::edges::<
                    17,
                >(
                    "1.2-3+4.6.5.'6.2-3+2-'7+'8.'9.'2-'10+11+2-",
                    "else\nErr(refused)\nOk(payment)\nSome(Decision::Cancel) | None\nSome(Decision::Ship)\nelse",
                ),
            };
            type Inputs = (Order, bool);
            type Output = Receipt;
            type Error = Refusal;
            fn read(
                __reader: &::saga_core::InputReader<'_>,
            ) -> ::core::result::Result<Self::Inputs, ::saga_core::DecodeError> {
                ::core::result::Result::Ok((
                    match __reader.input("order", &::saga_core::journaled::<Order>()) {
                        ::core::result::Result::Ok(value) => value,
                        ::core::result::Result::Err(error) => {
                            return ::core::result::Result::Err(error);
                        }
                    },
                    match __reader.input("rush", &::saga_core::journaled::<bool>()) {
                        ::core::result::Result::Ok(value) => value,
                        ::core::result::Result::Err(error) => {
                            return ::core::result::Result::Err(error);
                        }
                    },
                ))
            }
            fn body(
                __saga: &mut ::saga_core::Saga,
                __inputs: Self::Inputs,
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
                ::saga_core::boxed(order(__saga, __inputs.0, __inputs.1))
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
            fn register(__table: &mut ::saga_core::StepTable<P>) {
                <__s0 as ::saga_core::SiteOn<P>>::register(__table);
                <__s1 as ::saga_core::SiteOn<P>>::register(__table);
                <__s2 as ::saga_core::SiteOn<P>>::register(__table);
                <__s4 as ::saga_core::SiteOn<P>>::register(__table);
                <__s5 as ::saga_core::SiteOn<P>>::register(__table);
            }
        }
        impl ::saga_core::Site for order {
            const NODE: ::saga_core::definition::NodeKind = ::saga_core::definition::NodeKind::NotJournaled(
                "order",
            );
        }
        impl<P> ::saga_core::SiteOn<P> for order {}
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
